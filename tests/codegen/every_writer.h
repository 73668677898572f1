// Every writer against the kernel interpreter, bit for bit: machine code, and block programs at
// each instruction set.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "src/base/cpu.h"
#include "src/base/flags.h"
#include "src/codegen/native_writer.h"
#include "src/runtime/block_writer.h"
#include "tests/codegen/kernel_case.h"

namespace frit::codegen {

// Without the values that swallow a sum.
inline const CaseOptions kTame{.sizes = {}, .special = false};

inline std::vector<int64_t> up_to(int64_t last) {
  std::vector<int64_t> sizes;
  for (int64_t n = 0; n <= last; ++n) sizes.push_back(n);
  return sizes;
}

struct Way {
  const char* name;
  std::unique_ptr<Writer> (*make)();
  Isa isa;  // needed, and not exceeded
};

inline void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class EveryWriter : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (base::isa() < GetParam().isa) GTEST_SKIP() << "no " << name(GetParam().isa);
    base::mutable_flags().verify = true;
    if (GetParam().make != new_native_writer) base::set_isa_cap(GetParam().isa);
  }
  void TearDown() override { base::mutable_flags() = saved_; }
  Kernel parse(const std::string& text) {
    Kernel kernel = Kernel::parse(text);
    EXPECT_EQ(kernel.verify(), "") << text;
    return kernel;
  }
  // Agreement for all these sizes of the last dimension.
  void expect_agreement(const std::string& text, const std::vector<int64_t>& outer,
                        const std::vector<int64_t>& inner, CaseOptions options = {}) {
    const Kernel kernel = parse(text);
    std::string reason;
    const auto compiled = writer_->compile(kernel, &reason);
    ASSERT_NE(compiled, nullptr) << reason << "\n" << text;
    for (int64_t n : inner) {
      options.sizes = outer;
      options.sizes.push_back(n);
      options.seed = static_cast<uint32_t>(n + 1);
      options.offset = n % 3;
      ASSERT_EQ(disagreement(kernel, *compiled, options), "") << "n = " << n << "\n" << text;
    }
  }
  std::unique_ptr<Writer> writer_ = GetParam().make();

 private:
  const base::Flags saved_ = base::flags();
};

// Names a Way, as the suffix of a test.
inline std::string name_of_way(const testing::TestParamInfo<Way>& info) { return info.param.name; }

inline auto every_way() {
  return testing::Values(Way{"native", new_native_writer, Isa::kAvx2},
                         Way{"blocks_baseline", runtime::new_block_writer, Isa::kBaseline},
                         Way{"blocks_avx2", runtime::new_block_writer, Isa::kAvx2},
                         Way{"blocks_avx512", runtime::new_block_writer, Isa::kAvx512});
}

}  // namespace frit::codegen
