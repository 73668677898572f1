// Frozen: what a Program holds, ready to run. Immutable, shared by all threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frit/compile.h"
#include "frit/graph.h"
#include "frit/program.h"
#include "src/runtime/executor.h"

namespace frit::program {

class Frozen {
 public:
  // What a program's file holds.
  struct Parts {
    Graph graph;                    // of core ops; the last inputs are the constants
    std::vector<Tensor> constants;  // whose memory nobody else writes to
    uint32_t mxcsr = 0;             // the modes that it was made in and runs in
  };

  // Compiles. `captured` is for people: the graph of the user's ops, or empty. Throws
  // Error(kNotImplemented) where there is no code for it.
  static Program make(Parts parts, std::string captured);
  static const Frozen& of(const Program& program) { return *program.frozen_; }

  std::vector<Tensor> run(TensorList inputs) const;
  void run(TensorList inputs, TensorList outputs) const;
  const Parts& parts() const { return parts_; }
  const std::vector<TensorType>& inputs() const { return input_types_; }
  const std::vector<TensorType>& outputs() const { return output_types_; }
  std::string str() const;

 private:
  explicit Frozen(Parts parts) : parts_(std::move(parts)) {}
  // What a call compares a tensor with.
  struct Place {
    const Layout* layout;
    int64_t bytes;  // from the first element to the end of the last
  };
  static Place place_of(const Layout* layout);
  void enter(TensorList inputs) const;
  void check_outputs(TensorList inputs, TensorList outputs) const;

  Parts parts_;
  std::unique_ptr<runtime::Executor> executor_;
  std::vector<Place> inputs_, outputs_;
  std::vector<TensorType> input_types_, output_types_;
  PlanForm form_;  // what only the build knows; the rest is filled in when somebody asks
};

}  // namespace frit::program
