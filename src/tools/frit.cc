// The frit command: runs and explains models, lists what is supported.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "src/tools/commands.h"

namespace {

// `bazel run` starts programs elsewhere than where it was called.
void enter_callers_directory() {
  const char* directory = std::getenv("BUILD_WORKING_DIRECTORY");
  if (directory != nullptr && chdir(directory) != 0) std::perror(directory);
}

constexpr char kUsage[] =
    "usage: frit run MODEL.onnx [--input name=file.npy ...] [--output-dir DIR]\n"
    "       frit explain MODEL.onnx [--input name=file.npy ...]\n"
    "       frit ops [--core]\n"
    "       frit flags\n";

}  // namespace

int main(int argc, char** argv) {
  enter_callers_directory();
  const std::string command = argc > 1 ? argv[1] : "";
  const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  try {
    if (command == "run") return frit::tools::run_model(arguments), 0;
    if (command == "explain") return frit::tools::explain_model(arguments), 0;
    if (command == "ops") return frit::tools::list_ops(arguments), 0;
    if (command == "flags") return frit::tools::list_flags(), 0;
    std::fputs(kUsage, command == "help" || command == "--help" ? stdout : stderr);
    return command == "help" || command == "--help" ? 0 : 2;
  } catch (const frit::tools::Usage& usage) {
    std::fprintf(stderr, "frit %s: %s\n%s", command.c_str(), usage.problem.c_str(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "frit %s: %s\n", command.c_str(), error.what());
    return 1;
  }
}
