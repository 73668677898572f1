// ONNX's own tests of its ops (Debian's libonnx-testdata): each model that Frit loads must give the
// stored outputs. What it refuses must be refused when loaded, as unsupported.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <regex>

#include "frit/onnx.h"
#include "frit/ops.h"
#include "src/io/file.h"
#include "src/onnx/read_tensor.h"
#include "tests/onnx/make_model.h"

namespace frit::onnx {
namespace {

namespace fs = std::filesystem;

constexpr double kRelative = 1e-3, kAbsolute = 1e-6;  // ONNX's own tolerance is 1e-3, 1e-7
constexpr double kRelativeBf16 = 1.0 / 128;           // the stored numbers are cut, not rounded

// Their stored input has one element where the model says 3 by 4.
constexpr std::string_view kWrongData[] = {
    "test_castlike_BFLOAT16_to_FLOAT", "test_castlike_BFLOAT16_to_FLOAT_expanded",
    "test_castlike_FLOAT_to_BFLOAT16", "test_castlike_FLOAT_to_BFLOAT16_expanded"};

fs::path data_folder() {
  const char* given = std::getenv("FRIT_ONNX_TESTDATA");
  return given ? given : "/usr/share/libonnx-testdata/data";
}

Tensor read_value(const fs::path& path) {
  const auto bytes = io::read_file(path, "test");
  TensorProto proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw Error(ErrorKind::kValue, path.string() + " does not parse");
  // How the data set writes bf16, which NumPy does not have.
  if (proto.data_type() == TensorProto::UINT16) proto.set_data_type(TensorProto::BFLOAT16);
  const TensorDef def = read_tensor(proto, path, path);
  return from_host(def.data.data(), def.dims, def.dtype);
}

// input_0.pb, input_1.pb, ... of a data set.
std::vector<Tensor> read_values(const fs::path& folder, const std::string& role) {
  std::vector<Tensor> values;
  for (int i = 0;; ++i) {
    const fs::path path = folder / (role + "_" + std::to_string(i) + ".pb");
    if (!fs::exists(path)) return values;
    values.push_back(read_value(path));
  }
}

bool close(double got, double expected, double relative) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected)) return got == expected;
  return std::abs(got - expected) <= kAbsolute + relative * std::abs(expected);
}

// What is wrong with an output; empty when nothing is.
std::string difference(const Tensor& got, const Tensor& expected) {
  if (got.dtype() != expected.dtype())
    return "dtype " + std::string(name(got.dtype())) + ", not " +
           std::string(name(expected.dtype()));
  if (!(got.sizes() == expected.sizes())) return "other sizes";
  const Tensor a = got.to(kFloat64).contiguous(), b = expected.to(kFloat64).contiguous();
  const double relative = got.dtype() == kBFloat16 ? kRelativeBf16 : kRelative;
  const double* p = a.const_data_ptr<double>();
  const double* q = b.const_data_ptr<double>();
  for (int64_t i = 0; i < a.numel(); ++i)
    if (!close(p[i], q[i], relative))
      return "element " + std::to_string(i) + " is " + std::to_string(p[i]) + ", not " +
             std::to_string(q[i]);
  return "";
}

std::string run_case(const Model& model, const fs::path& folder) {
  const std::vector<Tensor> inputs = read_values(folder, "input");
  const std::vector<Tensor> expected = read_values(folder, "output");
  const std::vector<Tensor> outputs = model.run(inputs);
  if (outputs.size() != expected.size()) return "other number of outputs";
  for (size_t i = 0; i < outputs.size(); ++i)
    if (std::string text = difference(outputs[i], expected[i]); !text.empty())
      return "output " + std::to_string(i) + ": " + text;
  return "";
}

struct Counts {
  int passed = 0, refused = 0;
  std::map<std::string, int> reasons;  // for refusing, without names of files and nodes
};

// onnx(/data/x.onnx): unsupported op: node "#0", Loop, opset 11 -> unsupported op: Loop
std::string reason_of(const std::string& what) {
  std::string reason = std::regex_replace(what, std::regex(R"(^onnx\([^)]*\): )"), "");
  reason = std::regex_replace(reason, std::regex(R"(node "[^"]*", )"), "");
  return std::regex_replace(reason, std::regex(R"(, opset \d+$|(value|input|output) "[^"]*")"), "");
}

// Counts the case, or adds a failure to the test.
void check_case(const fs::path& folder, Counts& counts) {
  std::optional<Model> model;
  try {
    model = Model::load(folder / "model.onnx");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotImplemented) << error.what();
    ++counts.refused;
    ++counts.reasons[reason_of(error.what())];
    return;
  }
  try {
    const std::string problem = run_case(*model, folder / "test_data_set_0");
    EXPECT_EQ(problem, "") << folder;
    counts.passed += problem.empty();
  } catch (const Error& error) {
    ADD_FAILURE() << folder << ": " << error.what();
  }
}

Counts check_set(const std::string& set) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(data_folder() / set))
    if (std::ranges::count(kWrongData, entry.path().filename().string()) == 0)
      folders.push_back(entry.path());
  std::ranges::sort(folders);
  Counts counts;
  for (const fs::path& folder : folders) check_case(folder, counts);
  std::cout << set << ": " << counts.passed << " passed, " << counts.refused << " refused\n";
  for (const auto& [reason, count] : counts.reasons)
    std::cout << "  " << count << " " << reason << "\n";
  return counts;
}

class OnnxBackend : public testing::Test {
 protected:
  void SetUp() override {
    if (fs::exists(data_folder())) return;
    const char* ci = std::getenv("CI");
    if (ci && std::string_view(ci) == "true") FAIL() << data_folder() << " is not here";
    GTEST_SKIP() << data_folder() << " is not here";
  }
};

// The numbers only go up: what once passed may not be refused again.
TEST_F(OnnxBackend, NodesGiveTheStoredOutputs) { EXPECT_GE(check_set("node").passed, 760); }

TEST_F(OnnxBackend, ConvertedModulesGiveTheStoredOutputs) {
  EXPECT_GE(check_set("pytorch-converted").passed, 67);
}

TEST_F(OnnxBackend, ConvertedOperatorsGiveTheStoredOutputs) {
  EXPECT_GE(check_set("pytorch-operator").passed, 34);
}

TEST_F(OnnxBackend, SimpleModelsGiveTheStoredOutputs) { EXPECT_GE(check_set("simple").passed, 7); }

}  // namespace
}  // namespace frit::onnx
