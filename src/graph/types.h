// The text of types and scalars, shared by printer and parser of graphs.
#pragma once

#include <string>

#include "frit/scalar.h"
#include "src/base/lexer.h"
#include "src/tensor/layout.h"

namespace frit::graph {

// 2.0, 2, true: reads back as the same kind and value.
std::string print_scalar(const Scalar& scalar);
Scalar parse_scalar(base::Lexer& lexer);
// Whether a scalar literal starts at the current token.
bool at_scalar(const base::Lexer& lexer);

std::string_view scalar_type_name(Scalar::Kind kind);  // f64, i64, bool

// f32[8,16], f32[8,16]{1,8}, or a scalar type, for which `layout` is null.
struct Type {
  const Layout* layout = nullptr;
  Scalar::Kind scalar = Scalar::Kind::kFloat;
};
Type parse_type(base::Lexer& lexer);

// A scalar of that kind, for rules, which look at kinds only.
Scalar any_scalar(Scalar::Kind kind);

}  // namespace frit::graph
