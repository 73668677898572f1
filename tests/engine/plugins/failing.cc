// Ops that fail as their names say, and a writer whose kernels do.
#include <cstring>
#include <stdexcept>

#include "frit/plugin.h"

namespace {

const frit_host* host;

int refuse(const char* why) {
  host->set_error(why);
  return FRIT_PLUGIN_FAILED;
}

int copy(void*, const frit_call* call) {
  const frit_tensor &x = call->operands[0], &y = call->results[0];
  std::memcpy(y.data, x.data, static_cast<size_t>(x.sizes[0]) * sizeof(float));
  return FRIT_PLUGIN_OK;
}
int run_fails(void*, const frit_call*) { return refuse("out of steam"); }
int run_throws(void*, const frit_call*) { throw std::runtime_error("out of coal"); }

frit_type type_of(const frit_tensor& x) {
  return {x.sizes, x.strides, x.dtype, x.rank, FRIT_TENSOR, 0};
}

int like_first(void*, const frit_call* call, frit_types* types) {
  const frit_type type = type_of(call->operands[0]);
  return host->add_type(types, &type);
}
int fake_fails(void*, const frit_call*, frit_types*) { return refuse("who knows"); }
int fake_throws(void*, const frit_call*, frit_types*) { throw 7; }
int fake_gives_nothing(void*, const frit_call*, frit_types*) { return FRIT_PLUGIN_OK; }
int fake_gives_two(void* context, const frit_call* call, frit_types* types) {
  like_first(context, call, types);
  like_first(context, call, types);
  return FRIT_PLUGIN_OK;
}
int fake_gives_nonsense(void* context, const frit_call* call, frit_types* types) {
  const int64_t negative = -1;
  frit_type type = type_of(call->operands[0]);
  switch (*static_cast<const char*>(context)) {
    case 'd':
      type.dtype = 77;
      break;
    case 'r':
      type.rank = 99;
      break;
    case 's':
      type.sizes = &negative;
      break;
    case 'n':
      type.sizes = nullptr;
      break;
    case 'k':
      type.kind = FRIT_NUMBER;
      break;
    default:
      return host->add_type(types, nullptr);
  }
  return host->add_type(types, &type);
}

struct {
  const char* schema;
  int (*run)(void*, const frit_call*);
  int (*fake)(void*, const frit_call*, frit_types*);
  char context;
} const kOps[] = {
    {"failing::copy(Tensor x) -> Tensor", copy, like_first, 0},
    {"failing::run_fails(Tensor x) -> Tensor", run_fails, like_first, 0},
    {"failing::run_throws(Tensor x, float s) -> Tensor", run_throws, like_first, 0},
    {"failing::fake_fails(Tensor x) -> Tensor", copy, fake_fails, 0},
    {"failing::fake_throws(Tensor x) -> Tensor", copy, fake_throws, 0},
    {"failing::fake_gives_nothing(Tensor x) -> Tensor", copy, fake_gives_nothing, 0},
    {"failing::fake_gives_two(Tensor x) -> Tensor", copy, fake_gives_two, 0},
    {"failing::no_dtype(Tensor x) -> Tensor", copy, fake_gives_nonsense, 'd'},
    {"failing::no_rank(Tensor x) -> Tensor", copy, fake_gives_nonsense, 'r'},
    {"failing::no_size(Tensor x) -> Tensor", copy, fake_gives_nonsense, 's'},
    {"failing::no_sizes(Tensor x) -> Tensor", copy, fake_gives_nonsense, 'n'},
    {"failing::no_tensor(Tensor x) -> Tensor", copy, fake_gives_nonsense, 'k'},
    {"failing::no_type(Tensor x) -> Tensor", copy, fake_gives_nonsense, 'z'},
};

// ---- the writer: what it does with a kernel goes by the ops in it ----

int kernel_fails(void*, const uint64_t*, int64_t, int64_t) { return refuse("no ink"); }
int kernel_throws(void*, const uint64_t*, int64_t, int64_t) {
  throw std::runtime_error("no paper");
}

int compile(void*, const frit_kernel* kernel, frit_compiled_kernel* compiled) {
  const auto has = [&](const char* op) { return std::strstr(kernel->text, op) != nullptr; };
  if (has("= sin ")) throw std::runtime_error("cannot read");
  if (has("= cos ")) return FRIT_PLUGIN_OK;  // and no function
  if (has("= tan ")) return 5;
  compiled->run = has("= exp ") ? kernel_throws : kernel_fails;
  return has("= exp ") || has("= log ") ? FRIT_PLUGIN_OK : refuse("not today");
}

}  // namespace

FRIT_PLUGIN_ABI;

int frit_plugin_init(const frit_host* given, frit_plugin* self) {
  host = given;
  self->name = "failing";
  static char contexts[std::size(kOps)];
  for (size_t i = 0; i < std::size(kOps); ++i) {
    contexts[i] = kOps[i].context;
    const frit_op op = {
        sizeof op, kOps[i].schema, &contexts[i], kOps[i].run, kOps[i].fake, FRIT_AUTOCAST_NONE, 0};
    if (host->register_op(self, &op) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
  }
  const frit_writer writer = {sizeof writer, "cpu", "failing", nullptr, compile};
  return host->register_writer(self, &writer);
}
