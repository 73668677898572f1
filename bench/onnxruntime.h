// onnxruntime as a peer: models run by its library, loaded at run time from models/onnxruntime.
//
// Its C header is not packaged; the table below declares, of its versioned table of functions
// (stable within a version and only ever appended to), those that are called here, by position.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace frit::bench {

class OnnxRuntime {
 public:
  // Null where the library is missing or too old.
  static std::unique_ptr<OnnxRuntime> load(const std::string& library);
  ~OnnxRuntime();

  // A model with one f32 input and one f32 output, one thread, all graph optimisations.
  class Session {
   public:
    ~Session();
    // The output's elements. Throws std::runtime_error.
    std::vector<float> run(std::span<const float> input, std::span<const int64_t> shape);

   private:
    friend class OnnxRuntime;
    OnnxRuntime* owner = nullptr;
    void* session = nullptr;
    std::string input_name, output_name;
  };
  std::unique_ptr<Session> open(const std::string& model);

 private:
  template <class... A>
  void call(int position, A... args) const;
  template <class... A>
  void release(int position, A... args) const;

  void* const* table_ = nullptr;
  void* env_ = nullptr;
  void* options_ = nullptr;
  void* memory_ = nullptr;
};

}  // namespace frit::bench
