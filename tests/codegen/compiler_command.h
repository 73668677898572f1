// The command for the C++ writer in tests: the system's compiler, with what printed kernels call.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace frit::codegen {

// The functions that are not inlined take longer to compile than a kernel does, so it is done once.
inline const std::string& compiler_command() {
  static const std::string command = [] {
    const std::string compiler = "g++ -std=c++20 -O1 -ffp-contract=off -I. -Iinclude ";
    const std::string object = testing::TempDir() + "slow.o";
    if (std::system((compiler + "-fPIC -c src/ops/math/slow.cc -o " + object).c_str()) != 0)
      throw std::runtime_error("g++ cannot compile src/ops/math/slow.cc");
    return compiler + object;
  }();
  return command;
}

}  // namespace frit::codegen
