// onnxruntime's library, loaded at run time: models made of bytes or files, run on memory of the
// caller's.
//
//   std::string why;
//   const auto runtime = OnnxRuntime::load("libonnxruntime.so.1", &why);
//   const auto session = runtime->open_file("mlp.onnx", 1);
//   session->run(inputs, outputs);
//
// Its C header is not packaged: of its versioned table of functions (stable within a version and
// only ever appended to) this declares, by position, those that are called here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace frit::backends {

// Memory that is a tensor of a model: row-major; ONNX's number of its element type.
struct OnnxBuffer {
  const void* data;
  size_t bytes;
  std::span<const int64_t> sizes;
  int64_t type;
};

class OnnxRuntime : public std::enable_shared_from_this<OnnxRuntime> {
 public:
  // Null where the library is missing or too old; `why` says which. Stays loaded.
  static std::shared_ptr<const OnnxRuntime> load(const std::string& library, std::string* why);
  ~OnnxRuntime();
  OnnxRuntime(const OnnxRuntime&) = delete;

  const std::string& version() const { return version_; }

  // A model with all graph optimisations. Any number of threads may run it at once.
  class Session {
   public:
    ~Session();
    Session(const Session&) = delete;
    // One buffer for each input and output, in the model's order; outputs are written. Throws
    // std::runtime_error with onnxruntime's text.
    void run(std::span<const OnnxBuffer> inputs, std::span<const OnnxBuffer> outputs) const;
    // The first output's elements, f32, of sizes that need not be known before.
    std::vector<float> run(std::span<const float> input, std::span<const int64_t> sizes) const;

   private:
    friend class OnnxRuntime;
    Session(std::shared_ptr<const OnnxRuntime> owner, void* session);

    std::shared_ptr<const OnnxRuntime> owner_;
    void* session_;
    std::vector<std::string> input_names_, output_names_;
  };
  // `threads`: for one op. Throws std::runtime_error with onnxruntime's text.
  std::unique_ptr<const Session> open(std::span<const std::byte> model, int threads) const;
  std::unique_ptr<const Session> open_file(const std::string& path, int threads) const;

 private:
  OnnxRuntime() = default;
  template <class... A>
  void call(int position, A... args) const;
  template <class... A>
  void release(int position, A... args) const;
  void* new_options(int threads) const;
  void* new_value(const OnnxBuffer& buffer) const;
  std::vector<std::string> names(void* session, int count_position, int name_position) const;

  void* const* table_ = nullptr;
  std::string version_;
  void* env_ = nullptr;
  void* memory_ = nullptr;
};

}  // namespace frit::backends
