// Program: a function frozen at one set of shapes. Its host code runs no more; its weights are part
// of it. It can be saved, and loaded where the function does not exist.
//
//   frit::Program p = frit::freeze([&](const frit::Tensor& x) { return relu(linear(x, w, b)); },
//   {x}, {w, b}); frit::Tensor y = p.run({x})[0]; p.run({x}, {y});                 // into y: no
//   memory is asked for p.save("mlp.frit"); frit::Program q = frit::Program::load("mlp.frit");
//
// What is a constant: every number, and every tensor that depends on no example: the params, what
// the function captures or makes from host data, and what ops make of those alone. Values are taken
// as they are while freezing; what is written to a param later does not reach the program. Control
// flow is what it was for the examples.
//
// Outputs have eager's bits. They are new tensors without gaps, also where the function gives back
// an input or a view. An index that is out of range is an error of run(), where its result is used.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frit/array_ref.h"
#include "frit/dtype.h"
#include "frit/error.h"
#include "frit/tensor.h"

namespace frit {

// A view of tensors that also binds to a braced list: program.run({x, y}). Does not own.
class TensorList : public std::span<const Tensor> {
 public:
  TensorList() = default;
  TensorList(std::span<const Tensor> s) : span(s) {}                                   // NOLINT
  TensorList(std::initializer_list<Tensor> list) : span(list.begin(), list.size()) {}  // NOLINT
  TensorList(const std::vector<Tensor>& v) : span(v) {}                                // NOLINT
  template <size_t n>
  TensorList(const Tensor (&array)[n]) : span(array, n) {}  // NOLINT
};

// What an input must be and an output is.
struct TensorType {
  Dtype dtype = kFloat32;
  std::vector<int64_t> sizes, strides;
  std::string str() const;  // f32[8,16]; with strides where they are not row-major: f32[8,16]{1,8}
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

namespace program {
class Frozen;
}

// Copies share what was frozen. Any number of threads may run one program at once.
class Program {
 public:
  // One tensor per output. The guards are each input's dtype, sizes and strides, and the modes of
  // the floating-point unit (MXCSR); where one fails, Error(kValue) says which, expected and
  // actual. The number of threads may change from run to run.
  std::vector<Tensor> run(TensorList inputs) const;
  // Writes to `outputs`, which have the types of outputs() and share memory with no input and with
  // each other (kValue). No heap memory is asked for once the calling thread has run the program,
  // but by library calls. Where an op throws, outputs may have been written in part.
  void run(TensorList inputs, TensorList outputs) const;

  const std::vector<TensorType>& inputs() const;
  const std::vector<TensorType>& outputs() const;
  // For people: guards, graph, and what runs for it.
  std::string str() const;

  // Writes the file whole or not at all. Error(kRuntime) with the system's reason.
  void save(const std::string& path) const;
  // Compiles for this machine. Error(kRuntime) where the file cannot be read; Error(kValue) where
  // it is no program, is damaged, or was written by a newer Frit.
  static Program load(const std::string& path);
  // The same for a file's bytes in memory; `name` stands for the path in errors.
  static Program parse(std::span<const std::byte> bytes, const std::string& name);

 private:
  friend class program::Frozen;
  explicit Program(std::shared_ptr<const program::Frozen> frozen) : frozen_(std::move(frozen)) {}

  std::shared_ptr<const program::Frozen> frozen_;
};

namespace detail {

using TensorFunction = std::function<std::vector<Tensor>(TensorList)>;
Program freeze(const TensorFunction& fn, TensorList examples, TensorList params);

inline std::vector<Tensor> as_list(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> as_list(std::vector<Tensor> list) { return list; }

inline constexpr size_t kMaxFrozenArguments = 8;

// Whether F takes `n` tensors, one argument each.
template <class F, size_t... i>
constexpr bool takes(std::index_sequence<i...>) {
  return std::is_invocable_v<F&, decltype((void(i), std::declval<const Tensor&>()))...>;
}

template <size_t n, class F>
std::vector<Tensor> call_with(F& fn, TensorList args) {
  if constexpr (n > kMaxFrozenArguments) {
    throw Error(ErrorKind::kType,
                "freeze: the function does not take " + std::to_string(args.size()) + " tensors");
  } else {
    if constexpr (takes<F>(std::make_index_sequence<n>())) {
      if (args.size() == n) return [&]<size_t... i>(std::index_sequence<i...>) {
          return as_list(fn(args[i]...));
        }
      (std::make_index_sequence<n>());
    }
    return call_with<n + 1>(fn, args);
  }
}

}  // namespace detail

// Runs `fn` once on the examples, which stand for any values of their types, and compiles what it
// did. `fn` takes each input as an argument (up to 8) or all as one TensorList or vector, and
// returns a Tensor or a vector of them.
//
// Refused, with the position and the name of the op or method: what depends on an example and
// cannot be foreseen - reading a value (item, data_ptr, printing, ...), nonzero, integer division -
// and every write in place. `params` are constants like others; naming them lets freeze() refuse
// what is an example too, and str() show them as %p0, %p1, ...
template <class F>
Program freeze(F fn, TensorList examples, TensorList params = {}) {
  const auto call = [&fn](TensorList args) {
    if constexpr (std::is_invocable_v<F&, TensorList>) {
      return detail::as_list(fn(args));
    } else if constexpr (std::is_invocable_v<F&, const std::vector<Tensor>&>) {
      return detail::as_list(fn(std::vector<Tensor>(args.begin(), args.end())));
    } else {
      return detail::call_with<0>(fn, args);
    }
  };
  return detail::freeze(call, examples, params);
}

}  // namespace frit
