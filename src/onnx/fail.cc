// Error texts about models.
#include "src/onnx/fail.h"

namespace frit::onnx {

void fail(std::string_view path, std::string_view problem, ErrorKind kind) {
  throw Error(kind, "onnx(" + std::string(path) + "): " + std::string(problem));
}

void fail_unsupported(std::string_view path, std::string_view what) {
  fail(path, "unsupported " + std::string(what), ErrorKind::kNotImplemented);
}

std::string printable(std::string_view name) {
  constexpr size_t kLongest = 100;
  std::string text;
  for (const char c : name.substr(0, kLongest)) text += c < ' ' || c > '~' ? '?' : c;
  return text + (name.size() > kLongest ? "..." : "");
}

std::string quoted(std::string_view name) { return "\"" + printable(name) + "\""; }

}  // namespace frit::onnx
