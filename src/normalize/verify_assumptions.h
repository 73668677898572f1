// The verifier of the assumption ledger: a rewrite that uses a fact without noting it would make
// plans that are wrong where the fact is not so, which no guard would see.
#pragma once

#include <span>
#include <string>

#include "src/normalize/normalize.h"

namespace frit {

// Runs `passes` over `graph` again with facts withheld and changed. Empty, or which rewrite used a
// fact that is not noted. `context` and `core` are what the passes left and made. Demands that
//  - the result is the same where values that are not noted are withheld, and where they are
//  others;
//  - each noted value is asked for: with only that one withheld, no rewrite still fires;
//  - the result is the same in the other mode of denormals, unless the mode is noted.
std::string verify_assumptions(const Graph& graph, std::span<const NormalizePass> passes,
                               const NormalizeContext& context, const Graph& core);

// The values that verifiers give to scalar inputs of which nothing is assumed: those that rules
// look for, and such as no rule knows. `turn` counts from 0; another turn, other values.
inline constexpr int kNumValueTurns = 12;
Scalar other_value(Scalar::Kind kind, int turn);

}  // namespace frit
