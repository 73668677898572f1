// GroupLowering: the state of lower(), whose functions are in lower.cc, lower_values.cc and
// lower_params.cc.
//
// All loops but the last are nested in one another. In the innermost of these stand, for a group
// with reductions, one `reduce` for each fold, then a loop for what is computed last, with ops on
// what the folds gave in between; for others only the last loop. Statements refer to provisional
// numbers (of accesses, scalars and loops) until finish() makes them parameters: buffers read
// %a0.., scalars %s0.., buffers written %out0.., those that are put to %put0.., kept rows %t0..,
// sizes %n0...
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frit/kernel.h"
#include "src/schedule/fuse.h"
#include "src/schedule/loops.h"
#include "src/schedule/memory.h"
#include "src/schedule/phases.h"

namespace frit::scheduling {

using Body = std::vector<KernelStmt>;

inline KernelStmt statement(KernelStmt::Kind kind) {
  KernelStmt stmt{};
  stmt.kind = kind;
  return stmt;
}

// A way to read or write memory.
struct Way {
  Graph::ValueId value;  // whose memory, and where in it; for kept rows the node's result
  Dtype dtype;
  std::vector<int64_t> strides;  // along the domain's dimensions
  int64_t offset;                // of the first element read from the value's
  enum class Use : uint8_t { kRead, kWritten, kKept, kPut } use;
  int order = -1;  // of the first use in the text
};

// A scalar parameter: an input, or where that is -1 a number of the layouts, told apart by `use`.
struct ScalarUse {
  Graph::ValueId input;
  Dtype dtype;
  int64_t number = 0;
  int use = -1;

  bool operator==(const ScalarUse&) const = default;
};

// Where statements go, and what is known there.
struct Scope {
  Body body;
  bool per_row = false;
  std::map<int, int> nodes;  // values of nodes
  std::map<int, int> loads;  // by access
  std::map<std::pair<Dtype, uint64_t>, int> constants;
};

class GroupLowering {
 public:
  GroupLowering(const Graph& graph, const Roles& roles, const Fusion& fusion, int group,
                Memory* memory)
      : graph_(graph),
        roles_(roles),
        fusion_(fusion),
        group_(fusion.groups[group]),
        index_(group),
        memory_(*memory),
        phases_(plan_phases(graph, roles, fusion, group)) {}

  KernelStep run();

 private:
  const Graph::Node& node(int n) const { return graph_.nodes()[n]; }
  Graph::ValueId result(int n) const { return node(n).results[0]; }
  bool is_reduce(int n) const { return roles_.of(n).role == Role::kReduce; }
  bool is_per_row(int n) const { return fusion_.is_per_row(group_, graph_, n); }

  int maker(const Graph::Operand& o) const;
  bool is_number(const Graph::Operand& o) const;

  // Accesses: lower.cc.

  void note_accesses();
  int add_access(Way access);
  int read_access(int n, size_t k);
  void make_domain();
  int num_loops() const { return static_cast<int>(loops_.size()); }

  // Loops: lower.cc.

  void emit();
  // Whether a node's value exists inside the last loops only.
  bool is_in_loops(int n) const { return !is_reduce(n) && !is_per_row(n); }

  KernelStmt loop(int d, Body body) const;
  void emit_reduction(int phase);
  Dtype fold_dtype(int n) const;
  void emit_last();
  void store_homes(int phase, Scope* scope);
  void store(int n, Scope* scope, int phase = 0);
  void store_value(int value, int access, Scope* scope);
  std::vector<int> open_dims(const Scope& scope) const;
  void prepare(int n, int phase);
  void prepare(int n, int phase, std::set<int>* seen);
  int value_of(int n, int phase, Scope* scope);
  int compute(int n, int phase, Scope* scope);

  // Values: lower_values.cc.

  int convert(int n, int phase, Scope* scope);
  int cast(int value, Dtype from, Dtype to, Scope* scope);
  int take(int n, Scope* scope);
  int place_of(int n, const Taking& taking, Scope* scope);
  int written(int n, int phase, Scope* scope);
  void put(int n, int value, Scope* scope);
  int from_end(int index, int size, Scope* scope);
  int count(int n, Scope* scope);
  int scan(int n, int phase, Scope* scope);
  static Dtype scan_dtype(Op op, Dtype dtype);
  int add_scan(Op op, int x, Dtype dtype, Scope* scope);
  int place_of_extreme(int n, int x, int extreme, Dtype dtype, Scope* scope);
  bool is_read_outside(Graph::ValueId v) const;
  int index_along(int dim, Scope* scope);
  int operand(int n, size_t k, Dtype dtype, int phase, Scope* scope);
  int number(const Graph::Operand& o, Dtype dtype, Scope* scope);
  int add_op(Op op, std::vector<int> operands, Dtype dtype, Scope* scope);
  int load(int access, Scope* scope);
  int read(KernelStmt::Kind kind, int access, std::vector<int> operands, Scope* scope);
  int constant(Dtype dtype, const Scalar& scalar, Scope* scope);
  int use(int access);
  int use_scalar(const ScalarUse& scalar);
  int use_number(int64_t number, int use) { return use_scalar({-1, kInt64, number, use}); }

  // Parameters: lower_params.cc.

  Access class_of(const Way& way, int d) const;
  int64_t stride_of(const Way& way, int d) const {
    if (!loops_[d].dims.empty()) return loops_[d].stride(way.strides);
    return group_.row.empty() || (way.use != Way::Use::kRead && is_alone(way)) ? 1 : 0;
  }

  // Whether there is one element a row.
  bool is_alone(const Way& way) const { return is_per_row(graph_.def(way.value)); }
  bool moves_in_row(const Way& way) const;
  KernelStep finish();
  void add_checks(KernelStep* step);
  IndexCheck check_of(int n, const Taking& taking);
  bool goes_in_order() const;
  void add_buffer(const Way& access, const std::string& name, Kernel* kernel, KernelStep* step);
  static void rename(Body* body, const std::vector<int>& accesses, const std::vector<int>& scalars,
                     const std::vector<int>& loops);

  const Graph& graph_;
  const Roles& roles_;
  const Fusion& fusion_;
  const Group& group_;
  const int index_;
  Memory& memory_;
  const Phases phases_;
  std::vector<Way> accesses_;
  std::map<int, int> writes_;  // the access of each node that is stored or kept
  std::map<int, int> places_;  // of each node that is an extreme so far: the value of its index
  std::vector<ScalarUse> scalars_;
  std::vector<Loop> loops_;
  Scope row_;
  Body body_;
  int next_id_ = 0, next_order_ = 0;
};

}  // namespace frit::scheduling
