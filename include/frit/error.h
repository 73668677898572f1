// The one exception type of the public API.
//
// Text: `op(operands): problem: facts`, for example
//   matmul(f32[8,16], f32[4,4]): inner dimensions differ: 16 and 4
#pragma once

#include <stdexcept>
#include <string>

namespace frit {

enum class ErrorKind { kValue, kIndex, kType, kRuntime, kNotImplemented, kOutOfMemory };

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  // Which of PyTorch's exception classes this error stands for (kRuntime: RuntimeError, ...).
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace frit
