// einsum: sums of products by the names of dimensions.
//
// Each operand becomes a tensor with one dimension for each name, in one order for all: the names
// of the result, then those summed over; a dimension that it does not have is of size 1. Operands
// are multiplied from the left; with each product, names that no later operand has are summed over
// by a batched matrix product. Names in "..." come first.
#pragma GCC optimize("Os")  // its kernels take the time, and it is large otherwise
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>

#include "src/eager/api.h"

namespace frit {
namespace {

using api::text;

[[noreturn]] void fail(const std::string& equation, const std::string& problem) {
  throw Error(ErrorKind::kRuntime, text("einsum(", equation, "): ", problem));
}

// The names of one operand's dimensions; '.' stands for the ellipsis.
std::string read_names(const std::string& equation, const std::string& part) {
  std::string names;
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (c == ' ') continue;
    if (std::isalpha(static_cast<unsigned char>(c))) {
      names += c;
    } else if (part.compare(i, 3, "...") == 0 && names.find('.') == std::string::npos) {
      names += '.';
      i += 2;
    } else {
      fail(equation, text("not a name of a dimension: ", c));
    }
  }
  return names;
}

struct Equation {
  std::string text;
  std::vector<std::string> operands;
  std::string result;
  bool explicit_result = false;

  explicit Equation(const std::string& equation) : text(equation) {
    const size_t arrow = equation.find("->");
    explicit_result = arrow != std::string::npos;
    const std::string left = equation.substr(0, arrow);
    for (size_t from = 0; from <= left.size();) {
      const size_t comma = std::min(left.find(',', from), left.size());
      operands.push_back(read_names(equation, left.substr(from, comma - from)));
      from = comma + 1;
    }
    result = explicit_result ? read_names(equation, equation.substr(arrow + 2)) : implied_result();
  }

  // The ellipsis, then the names that occur once, in the order of the alphabet (capitals first).
  std::string implied_result() const {
    std::array<int, 256> count{};
    bool ellipsis = false;
    for (const std::string& names : operands)
      for (char c : names) {
        ++count[static_cast<unsigned char>(c)];
        ellipsis |= c == '.';
      }
    std::string names = ellipsis ? "." : "";
    for (int c = 0; c < 256; ++c)
      if (c != '.' && count[static_cast<size_t>(c)] == 1) names += static_cast<char>(c);
    return names;
  }
};

// The common order of dimensions: of each, its name; those of the ellipsis are '.'.
struct Order {
  std::string names;
  int num_results = 0;

  // Where dimension i of `count` of an ellipsis stands, or where a name does.
  int of_ellipsis(int i, int count) const {
    const int all = static_cast<int>(std::count(names.begin(), names.end(), '.'));
    return static_cast<int>(names.find('.')) + all - count + i;
  }
  int of(char name) const { return static_cast<int>(names.find(name)); }
};

int ellipsis_rank(const Equation& equation, const std::string& names, const Tensor& x) {
  const int named = static_cast<int>(names.size()) - (names.find('.') != std::string::npos);
  const int rest = static_cast<int>(x.dim()) - named;
  const bool fits = names.find('.') == std::string::npos ? rest == 0 : rest >= 0;
  if (!fits) fail(equation.text, text("an operand has ", x.dim(), " dimensions, expected ", names));
  return rest;
}

Order order_of(const Equation& equation, const std::vector<Tensor>& operands) {
  int dots = 0;
  for (size_t i = 0; i < operands.size(); ++i)
    dots = std::max(dots, ellipsis_rank(equation, equation.operands[i], operands[i]));
  Order order;
  for (char c : equation.result) {
    if (c == '.') {
      order.names.append(static_cast<size_t>(dots), '.');
      continue;
    }
    if (order.names.find(c) != std::string::npos)
      fail(equation.text, text("the result has ", c, " twice"));
    const auto has = [&](const std::string& names) { return names.find(c) != names.npos; };
    if (std::none_of(equation.operands.begin(), equation.operands.end(), has))
      fail(equation.text, text("no operand has ", c));
    order.names += c;
  }
  order.num_results = static_cast<int>(order.names.size());
  const bool dots_in_result = equation.result.find('.') != std::string::npos;
  for (const std::string& names : equation.operands)
    for (char c : names) {
      if (c == '.' && !dots_in_result && order.names.find('.') == std::string::npos)
        order.names.append(static_cast<size_t>(dots), '.');
      else if (c != '.' && order.names.find(c) == std::string::npos)
        order.names += c;
    }
  return order;
}

// The operand with one dimension for each place of the order.
Tensor arranged(const Equation& equation, const Order& order, const std::string& names,
                const Tensor& operand) {
  const int rank = static_cast<int>(order.names.size());
  std::vector<int> source(static_cast<size_t>(rank), -1);
  Tensor x = operand;
  int dim = 0;
  const int dots = ellipsis_rank(equation, names, operand);
  for (char c : names) {
    if (c == '.') {
      for (int i = 0; i < dots; ++i)
        source[static_cast<size_t>(order.of_ellipsis(i, dots))] = dim++;
      continue;
    }
    int& place = source[static_cast<size_t>(order.of(c))];
    if (place < 0) {
      place = dim++;
      continue;
    }
    // A name twice: the diagonal of its dimensions, put back in the place of the first.
    if (x.size(place) != x.size(dim))
      fail(equation.text, text("sizes of ", c, " differ: ", x.size(place), " and ", x.size(dim)));
    const Tensor line = diagonal(x, 0, place, dim);
    Dims back;
    for (int d = 0, from = 0; d < line.dim(); ++d)
      back.push_back(d == place ? line.dim() - 1 : from++);
    x = permute(line, back);
  }
  Dims present, sizes;
  for (int place : source) {
    if (place >= 0) present.push_back(place);
    sizes.push_back(place >= 0 ? x.size(place) : 1);
  }
  const Tensor sorted = permute(x, present);
  Tensor result = sorted;
  for (int d = 0; d < rank; ++d)
    if (source[static_cast<size_t>(d)] < 0) result = unsqueeze(result, d);
  return result;
}

// Where dimensions of a product go.
struct Kinds {
  Dims batch, left, right, summed;
};

Dims joined(std::initializer_list<const Dims*> parts) {
  Dims all;
  for (const Dims* part : parts)
    for (int64_t d : *part) all.push_back(d);
  return all;
}

int64_t product_of(const Tensor& x, const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= x.size(d);
  return n;
}

// a * b summed over dims, which stay with size 1.
Tensor sum_of_products(const Equation& equation, Tensor a, Tensor b, const Dims& dims) {
  Kinds kinds;
  Dims sizes;
  for (int64_t d = 0; d < a.dim(); ++d) {
    const int64_t of_a = a.size(d), of_b = b.size(d);
    if (of_a != of_b && of_a != 1 && of_b != 1)
      fail(equation.text, text("sizes of one name differ: ", of_a, " and ", of_b));
    const bool summed = std::find(dims.begin(), dims.end(), d) != dims.end();
    if (of_a == 1 && of_b == 1) {
      kinds.batch.push_back(d);
    } else if (summed && of_a != 1 && of_b != 1) {
      kinds.summed.push_back(d);
    } else if (summed) {  // only one of them has it
      (of_a != 1 ? a : b) = sum(of_a != 1 ? a : b, {d}, true);
      kinds.batch.push_back(d);
    } else {
      (of_a != 1 && of_b != 1 ? kinds.batch : of_b != 1 ? kinds.right : kinds.left).push_back(d);
    }
    sizes.push_back(summed ? 1 : std::max(of_a == 0 || of_b == 0 ? 0 : of_a, of_b == 0 ? 0 : of_b));
  }
  if (kinds.summed.rank == 0) return mul(a, b);
  // A sum of integers is i64.
  const Dtype dtype = promote_dtypes(a.dtype(), b.dtype());
  a = to(a, dtype), b = to(b, dtype);
  const int64_t batch = product_of(a, kinds.batch), depth = product_of(a, kinds.summed);
  const Tensor left =
      reshape(permute(a, joined({&kinds.batch, &kinds.left, &kinds.summed, &kinds.right})),
              {batch, product_of(a, kinds.left), depth});
  const Tensor right =
      reshape(permute(b, joined({&kinds.batch, &kinds.summed, &kinds.right, &kinds.left})),
              {batch, depth, product_of(b, kinds.right)});
  // Back to the common order: the dims of the product, then those summed over.
  const Dims made = joined({&kinds.batch, &kinds.left, &kinds.right, &kinds.summed});
  Dims made_sizes, back(a.sizes());
  for (int i = 0; i < made.rank; ++i) {
    made_sizes.push_back(sizes[static_cast<int>(made[i])]);
    back[static_cast<int>(made[i])] = i;
  }
  return permute(reshape(bmm(left, right), made_sizes), back);
}

}  // namespace

Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands) {
  const Equation parsed(equation);
  if (operands.empty() || parsed.operands.size() != operands.size())
    fail(equation, text("names of ", parsed.operands.size(), " operands for ", operands.size()));
  for (const Tensor& operand : operands) api::checked("einsum", operand);
  const Order order = order_of(parsed, operands);
  std::vector<Tensor> factors;
  for (size_t i = 0; i < operands.size(); ++i)
    factors.push_back(arranged(parsed, order, parsed.operands[i], operands[i]));
  // The last factor with each dimension of more than one element. One factor alone is summed over
  // all, which makes integers i64.
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> last(order.names.size(), factors.size() == 1 ? 0 : kNone);
  for (size_t d = 0; d < last.size(); ++d)
    for (size_t i = 0; i < factors.size(); ++i)
      if (factors[i].size(static_cast<int64_t>(d)) != 1) last[d] = i;
  const int rank = static_cast<int>(order.names.size());
  const auto summed_at = [&](size_t i) {
    Dims dims;
    for (int d = order.num_results; d < rank; ++d)
      if (last[static_cast<size_t>(d)] == i) dims.push_back(d);
    return dims;
  };
  Tensor result = factors[0];
  const Dims first = summed_at(0);
  if (first.rank > 0) result = sum(result, first, true);
  for (size_t i = 1; i < factors.size(); ++i)
    result = sum_of_products(parsed, result, factors[i], summed_at(i));
  Dims rest;
  for (int d = order.num_results; d < rank; ++d) rest.push_back(d);
  return rest.rank == 0 ? result : call(Op::squeeze, {result}, Attrs().add_list(rest));
}

}  // namespace frit
