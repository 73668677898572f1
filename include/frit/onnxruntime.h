// The backend "onnxruntime": graphs are exported as ONNX and run by onnxruntime's library. Link
// with
// //src/backends:onnxruntime.
//
//   frit::register_onnxruntime();
//   auto fast = frit::compile(fn, {.backend = "onnxruntime"});
//
// The library is loaded when the first graph is compiled. What has no ONNX form, or none that the
// library runs, goes to machine code ("native"); `explain` shows how often. Without the library
// graphs are refused, with the reason, and run eagerly; so are graphs of tensors on other devices
// than the CPU. Results are onnxruntime's: within a tolerance of eager's, not their bits. Each
// graph is compiled for the number of threads of then.
#pragma once

#include <string>

namespace frit {

struct OnnxruntimeOptions {
  // The library's file. Empty: libonnxruntime.so.1 or libonnxruntime.so, where the system's loader
  // finds them. 1.17 or newer.
  std::string library;
};

// Registers the backend, again with other options if need be.
void register_onnxruntime(const OnnxruntimeOptions& options = {});

// The library's version, "1.30.0". Throws Error(kRuntime) where it is missing or too old.
std::string onnxruntime_version(const OnnxruntimeOptions& options = {});

}  // namespace frit
