// Slots of values, steps, and what runs at the end of others.
#include "src/backends/onednn_lowering.h"

#include <algorithm>

#include "frit/error.h"

namespace frit::onednn {
namespace {

dnnl::memory::data_type type_of(Dtype dtype) {
  if (dtype == kFloat32) return dnnl::memory::data_type::f32;
  if (dtype == kBFloat16) return dnnl::memory::data_type::bf16;
  throw Refused("dtype " + std::string(name(dtype)));
}

}  // namespace

Dims to_dims(IntArrayRef list) { return {list.begin(), list.end()}; }
Dims dims_of(const Desc& desc) { return {desc.data.dims, desc.data.dims + desc.data.ndims}; }
Dims strides_of(const Desc& desc) {
  const auto* strides = desc.data.format_desc.blocking.strides;
  return {strides, strides + desc.data.ndims};
}

Desc with_dims(const Desc& like, const Dims& dims, const Dims& strides) {
  return Desc(dims, static_cast<dnnl::memory::data_type>(like.data.data_type), strides);
}

Desc row_major(const Desc& like, const Dims& dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) strides[d] = stride;
  return with_dims(like, dims, strides);
}

bool is_row_major(const Desc& desc) {
  const Dims dims = dims_of(desc), strides = strides_of(desc);
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d])
    if (dims[d] != 1 && strides[d] != stride) return false;
  return true;
}

Desc desc_of(const Graph& graph, ValueId value) {
  const dnnl::memory::data_type type = type_of(graph.dtype(value));
  Dims dims = to_dims(graph.sizes(value)), strides = to_dims(graph.strides(value));
  if (dims.size() > DNNL_MAX_NDIMS) throw Refused("more than 12 dimensions");
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) throw Refused("no elements");
  if (dims.empty()) dims = strides = {1};
  return Desc(dims, type, strides);
}

Desc narrowed(const Desc& desc) {
  Dims dims = dims_of(desc), strides = strides_of(desc);
  for (size_t d = 0; d < dims.size(); ++d)
    if (strides[d] == 0) dims[d] = 1, strides[d] = 1;
  return with_dims(desc, dims, strides);
}

Desc with_rank(const Desc& desc, int rank) {
  Dims dims = dims_of(desc), strides = strides_of(desc);
  while (static_cast<int>(dims.size()) < rank) {
    strides.insert(strides.begin(), dims[0] * strides[0]);
    dims.insert(dims.begin(), 1);
  }
  return with_dims(desc, dims, strides);
}

Lowering::Lowering(const Graph& graph, int threads)
    : graph_(graph),
      slot_of_(static_cast<size_t>(graph.num_values()), -1),
      uses_(slot_of_.size(), 0),
      only_user_(slot_of_.size(), -1),
      output_of_(slot_of_.size(), -1),
      done_(graph.nodes().size(), false) {
  plan_.threads = threads;
  for (size_t n = 0; n < graph.nodes().size(); ++n)
    for (const Graph::Operand& o : graph.nodes()[n].operands)
      if (o.is_value()) {
        ++uses_[static_cast<size_t>(o.value)];
        only_user_[static_cast<size_t>(o.value)] = static_cast<int>(n);
      }
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    output_of_[static_cast<size_t>(graph.outputs()[i])] = static_cast<int>(i);
}

dnnl::primitive_attr Lowering::attr(const dnnl::post_ops& ops) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attr.set_post_ops(ops);
  return attr;
}

int Lowering::add_buffer(Buffer buffer) {
  plan_.buffers.push_back(buffer);
  return static_cast<int>(plan_.buffers.size()) - 1;
}

SlotId Lowering::add_slot(int buffer, int64_t offset, const Desc& desc) {
  plan_.slots.push_back({buffer, offset, desc});
  return static_cast<SlotId>(plan_.slots.size()) - 1;
}

SlotId Lowering::scratch(const Desc& desc) {
  return add_slot(add_buffer({Buffer::Place::kScratch, 0, desc.get_size()}), 0, desc);
}

SlotId Lowering::view(SlotId of, const Desc& desc, int64_t byte_offset) {
  const Slot slot = plan_.slots[static_cast<size_t>(of)];
  return add_slot(slot.buffer, slot.offset + byte_offset, desc);
}

SlotId Lowering::slot_of(ValueId value) {
  SlotId& slot = slot_of_[static_cast<size_t>(value)];
  if (slot < 0)
    slot = add_slot(add_buffer({Buffer::Place::kArgument, value}), 0, desc_of(graph_, value));
  return slot;
}

SlotId Lowering::number(const Graph::Operand& operand, int rank) {
  plan_.numbers.push_back(operand.is_value()
                              ? Number{0, operand.value}
                              : Number{static_cast<float>(operand.literal.to_double()), -1});
  const Dims ones(static_cast<size_t>(rank), 1);
  const int index = static_cast<int>(plan_.numbers.size()) - 1;
  return add_slot(add_buffer({Buffer::Place::kNumber, index}), 0,
                  Desc(ones, dnnl::memory::data_type::f32, ones));
}

bool Lowering::is_tensor(const Graph::Node& node, size_t i) const {
  const Graph::Operand& o = node.operands[i];
  return o.is_value() && !graph_.is_scalar(o.value);
}

SlotId Lowering::operand(const Graph::Node& node, size_t i, int rank) {
  return is_tensor(node, i) ? slot_of(node.operands[i].value) : number(node.operands[i], rank);
}

std::optional<double> Lowering::literal(const Graph::Node& node, size_t i) const {
  if (i >= node.operands.size() || node.operands[i].is_value()) return std::nullopt;
  return node.operands[i].literal.to_double();
}

double Lowering::needed_literal(const Graph::Node& node, size_t i, const char* what) const {
  if (const std::optional<double> value = literal(node, i)) return *value;
  throw Refused(std::string(what) + " is no constant");
}

SlotId Lowering::result(ValueId value) {
  const Desc desc = desc_of(graph_, value);
  const int output = output_of_[static_cast<size_t>(value)];
  const SlotId slot =
      output < 0 ? scratch(desc) : add_slot(add_buffer({Buffer::Place::kOutput, output}), 0, desc);
  return slot_of_[static_cast<size_t>(value)] = slot;
}

void Lowering::append(Step step) {
  const int number = static_cast<int>(plan_.steps.size());
  for (const auto& [arg, slot] : step.args) {
    Buffer& buffer =
        plan_.buffers[static_cast<size_t>(plan_.slots[static_cast<size_t>(slot)].buffer)];
    if (buffer.first_step < 0) buffer.first_step = number;
    buffer.last_step = number;
  }
  plan_.steps.push_back(std::move(step));
}

void Lowering::copy(SlotId from, SlotId to) {
  const dnnl::reorder::primitive_desc pd(engine(), desc(from), engine(), desc(to), attr());
  add(pd, dnnl::reorder(pd), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

SlotId Lowering::in_layout(SlotId slot, const Desc& wanted) {
  if (desc(slot) == wanted) return slot;
  const SlotId made = scratch(wanted);
  copy(slot, made);
  return made;
}

// Appends the node to what follows, if it is elementwise and all it reads but `fused` is there.
bool Lowering::fuse(const Graph::Node& node, ValueId fused, Fused* into) {
  if (const std::optional<Eltwise> e = eltwise_of(*this, node)) {
    into->ops.append_eltwise(1.0f, e->algorithm, e->alpha, e->beta);
    return true;
  }
  const std::optional<dnnl::algorithm> algorithm = binary_of(node);
  if (!algorithm || node.operands.size() != 2) return false;
  const size_t other = node.operands[0].value == fused ? 1 : 0;
  if (other == 0 && !commutes(*algorithm)) return false;
  if (!is_tensor(node, other)) return false;
  const ValueId value = node.operands[other].value;
  if (value == fused || (!graph_.is_input(value) && slot_of_[static_cast<size_t>(value)] < 0))
    return false;
  const SlotId slot = slot_of(value);
  const SlotId thin = view(slot, narrowed(desc(slot)));
  into->args.emplace_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(into->ops.len()) | DNNL_ARG_SRC_1, thin);
  into->ops.append_binary(*algorithm, desc(thin));
  return true;
}

Fused Lowering::fusable_after(const Graph::Node& node) {
  Fused fused{{}, {}, node.results[0], {}};
  for (;;) {
    const auto v = static_cast<size_t>(fused.result);
    if (uses_[v] != 1 || output_of_[v] >= 0) return fused;
    const Graph::Node& user = graph_.nodes()[static_cast<size_t>(only_user_[v])];
    if (graph_.dtype(user.results[0]) != graph_.dtype(fused.result) ||
        !fuse(user, fused.result, &fused))
      return fused;
    fused.nodes.push_back(only_user_[v]);
    fused.result = user.results[0];
  }
}

void Lowering::set_done(const Fused& fused) {
  for (int node : fused.nodes) done_[static_cast<size_t>(node)] = true;
}

void Lowering::lower(const Graph::Node& node) {
  for (const ValueId v : node.results) desc_of(graph_, v);  // refuses dtypes
  const bool known = lower_pointwise(*this, node) || lower_view(*this, node) ||
                     lower_product(*this, node) || lower_convolution(*this, node) ||
                     lower_layer(*this, node) || lower_window(*this, node);
  if (!known) throw Refused("there is no primitive for it");
}

// Values that are views, arguments or outputs twice are copied.
void Lowering::store_outputs() {
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    const ValueId v = graph_.outputs()[i];
    plan_.outputs.push_back({graph_.dtype(v), graph_.sizes(v).vec(), graph_.strides(v).vec()});
    const SlotId from = slot_of(v);
    const Buffer& buffer =
        plan_.buffers[static_cast<size_t>(plan_.slots[static_cast<size_t>(from)].buffer)];
    if (buffer.place == Buffer::Place::kOutput && buffer.index == static_cast<int>(i)) continue;
    copy(from, add_slot(add_buffer({Buffer::Place::kOutput, static_cast<int>(i)}), 0,
                        desc_of(graph_, v)));
  }
}

// Runs `step`; what it refuses is said of `what`.
template <class Step>
void Lowering::try_lower(const std::string& what, Step step) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kNotImplemented,
                "onednn(%" + graph_.name() + "): unsupported " + what + ": " + why);
  };
  try {
    step();
  } catch (const Refused& refused) {
    refuse(refused.what());
  } catch (const dnnl::error& error) {
    refuse(error.what());
  }
}

Plan Lowering::run() {
  const ThreadScope threads(plan_.threads);
  for (size_t n = 0; n < graph_.nodes().size(); ++n) {
    if (done_[n]) continue;
    const Graph::Node& node = graph_.nodes()[n];
    const std::string value = node.results.empty() ? "" : graph_.value_name(node.results[0]);
    try_lower("op: " + std::string(name(node.op)) + " (" + value + ")", [&] { lower(node); });
  }
  try_lower("output", [&] { store_outputs(); });
  place_scratch(&plan_);
  return std::move(plan_);
}

}  // namespace frit::onednn
