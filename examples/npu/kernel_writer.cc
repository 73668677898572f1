// A device that comes with a code generator of its own: Frit fuses, places buffers and runs plans,
// and the device makes the kernels. This one takes kernels of a single loop and runs them by Frit's
// own interpreter where its memory is; what else there is runs by Frit's machine code, on copies.
#include <iostream>
#include <memory>
#include <vector>

#include "examples/npu/npu_device.h"

namespace {

// Addresses among a call's argument words: of each buffer the first; its strides follow.
std::vector<size_t> address_words(const frit::Kernel& kernel) {
  std::vector<size_t> places;
  size_t word = 0;
  for (const frit::KernelParam& param : kernel.params) {
    if (param.kind == frit::KernelParam::Kind::kBuffer) places.push_back(word);
    word += 1 + param.access.size();
  }
  return places;
}

class NpuKernel : public frit::CompiledKernel {
 public:
  explicit NpuKernel(const frit::Kernel& kernel)
      : kernel_(kernel), addresses_(address_words(kernel)) {}

  void run(const uint64_t* args, int64_t begin, int64_t end) const override {
    std::vector<uint64_t> words(args, args + kernel_.num_words());
    for (const size_t a : addresses_)
      words[a] = reinterpret_cast<uint64_t>(npu_view(reinterpret_cast<const void*>(words[a])));
    frit::interpret(kernel_, words.data(), begin, end);
  }
  Code code() const override { return nullptr; }
  std::string listing() const override { return kernel_.one_line(); }

 private:
  const frit::Kernel kernel_;
  const std::vector<size_t> addresses_;
};

class NpuWriter : public frit::Writer {
 public:
  std::string_view name() const override { return "npu"; }
  std::unique_ptr<frit::CompiledKernel> compile(const frit::Kernel& kernel,
                                                std::string* reason) override {
    if (kernel.one_line().empty()) return *reason = "not a single loop", nullptr;
    return std::make_unique<NpuKernel>(kernel);
  }
};

}  // namespace

int main() {
  register_npu();
  frit::register_writer("npu", [] { return std::make_unique<NpuWriter>(); });
  const auto fast = frit::compile([](const frit::Tensor& x) { return relu(x * 2 + 1); });
  const auto softmax = frit::compile([](const frit::Tensor& x) { return x.softmax(0); });
  const frit::Tensor x = frit::tensor({1.0f, -2.0f}).to("npu");
  for (int i = 0; i < 3; ++i) {
    std::cout << fast(x) << '\n';
    softmax(x);
  }
  for (const auto& [writer, count] : frit::stats().writers)
    std::cout << "kernels by " << writer << ": " << count << '\n';
}
