// What walks over a kernel's statements ask.
#pragma once

#include <vector>

#include "frit/kernel.h"

namespace frit {

// A loop or a reduction.
bool is_loop(const KernelStmt& stmt);

// Whether a loop has none inside.
bool is_innermost(const KernelStmt& loop);

// Adds to `counts`, by value, how often the statements use it; makes it longer where it is too
// short.
void count_uses(const std::vector<KernelStmt>& body, std::vector<int>* counts);

}  // namespace frit
