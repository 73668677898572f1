// frit run and frit explain.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "frit/compile.h"
#include "frit/onnx.h"
#include "frit/ops.h"
#include "src/io/npy.h"
#include "src/tools/commands.h"
#include "src/tools/random_input.h"

namespace frit::tools {
namespace {

struct ModelArguments {
  std::string model;
  std::map<std::string, std::string> inputs;  // name -> file
  std::string output_dir;
  bool json = false;
};

ModelArguments parse(const std::vector<std::string>& arguments) {
  ModelArguments parsed;
  std::string value;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (take_option(arguments, &i, "--input", &value)) {
      const size_t equals = value.find('=');
      if (equals == value.npos) throw Usage{"--input " + value + ": expected name=file.npy"};
      parsed.inputs[value.substr(0, equals)] = value.substr(equals + 1);
    } else if (take_option(arguments, &i, "--output-dir", &value)) {
      parsed.output_dir = value;
    } else if (arguments[i] == "--json") {
      parsed.json = true;
    } else if (arguments[i].compare(0, 2, "--") == 0) {
      throw Usage{"unknown option " + arguments[i]};
    } else if (!parsed.model.empty()) {
      throw Usage{"more than one model: " + parsed.model + " and " + arguments[i]};
    } else {
      parsed.model = arguments[i];
    }
  }
  if (parsed.model.empty()) throw Usage{"no model"};
  return parsed;
}

Tensor read_npy(const std::string& path) {
  const io::NpyArray array = io::read_npy(path);
  return from_host(array.data.data(), array.shape, array.dtype);
}

Tensor random_input(const onnx::ValueInfo& info) {
  std::vector<int64_t> sizes;
  for (const onnx::Dim& dim : info.dims.value_or(std::vector<onnx::Dim>{}))
    sizes.push_back(dim.size.value_or(1));
  return random_tensor(sizes, info.dtype.value_or(kFloat32), 1);
}

std::vector<Tensor> inputs_for(const onnx::Model& model, const ModelArguments& arguments) {
  std::vector<Tensor> inputs;
  for (const auto& input : arguments.inputs) {
    const std::string& name = input.first;
    const auto& known = model.inputs();
    if (std::none_of(known.begin(), known.end(),
                     [&](const auto& info) { return info.name == name; }))
      throw Usage{"--input " + name + ": the model has no such input"};
  }
  for (const onnx::ValueInfo& info : model.inputs()) {
    const auto given = arguments.inputs.find(info.name);
    if (given != arguments.inputs.end()) {
      inputs.push_back(read_npy(given->second));
      continue;
    }
    try {
      inputs.push_back(random_input(info));
    } catch (const Error& error) {
      throw Error(error.kind(), "input \"" + info.name + "\" of random values: " + error.what());
    }
  }
  return inputs;
}

// The safe part of a file's name, from a value's: letters, digits, '.', '_' and '-' stay.
std::string file_name(const std::string& name) {
  std::string safe;
  for (char c : name)
    safe +=
        std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' ? c : '_';
  return safe;
}

// The file of each output: its name, numbered where another output's name gives the same file.
std::vector<std::string> file_names(const onnx::Model& model) {
  std::vector<std::string> names;
  for (const onnx::ValueInfo& output : model.outputs()) {
    std::string name = file_name(output.name);
    for (int i = 2; std::find(names.begin(), names.end(), name + ".npy") != names.end(); ++i)
      name = file_name(output.name) + "_" + std::to_string(i);
    names.push_back(name + ".npy");
  }
  return names;
}

void write_npy(const std::string& path, const Tensor& t) {
  const Tensor row_major = t.contiguous();
  io::NpyArray array;
  array.dtype = t.dtype();
  array.shape = t.sizes().vec();
  const auto* bytes = static_cast<const std::byte*>(row_major.const_data_ptr());
  array.data.assign(bytes, bytes + row_major.nbytes());
  io::write_npy(path, array);
}

}  // namespace

void run_model(const std::vector<std::string>& raw) {
  const ModelArguments arguments = parse(raw);
  if (arguments.json) throw Usage{"--json: only explain has it"};
  const onnx::Model model = onnx::Model::load(arguments.model);
  const std::vector<Tensor> outputs = model.run(inputs_for(model, arguments));
  if (!arguments.output_dir.empty()) std::filesystem::create_directories(arguments.output_dir);
  const std::vector<std::string> files = file_names(model);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = model.outputs()[i].name;
    if (arguments.output_dir.empty()) {
      std::cout << name << " = " << outputs[i] << "\n";
    } else {
      const std::string path = (std::filesystem::path(arguments.output_dir) / files[i]).string();
      write_npy(path, outputs[i]);
      std::cout << path << "\n";
    }
  }
}

void explain_model(const std::vector<std::string>& raw) {
  const ModelArguments arguments = parse(raw);
  const onnx::Model model = onnx::Model::load(arguments.model);
  const std::vector<Tensor> inputs = inputs_for(model, arguments);
  const auto run = [&](const std::vector<Tensor>& x) { return model.run(x); };
  const Explanation explanation = explain(compile(run))(inputs);
  std::cout << (arguments.json ? explanation.json() + "\n" : explanation.str());
}

}  // namespace frit::tools
