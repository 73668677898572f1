// A plug-in that registers an op or a writer with one fault, which FAULT names.
#include <string>

#include "frit/plugin.h"

namespace {

enum Fault {
  op_is_null,
  op_is_too_small,
  op_has_no_schema,
  op_has_a_bad_schema,
  op_has_no_run,
  op_has_no_fake,
  op_has_no_such_autocast,
  op_is_there_twice,
  op_is_there_otherwise,
  op_and_then_init_fails,
  ops_are_too_many,
  writer_is_null,
  writer_is_too_small,
  writer_has_no_name,
  writer_has_a_taken_name,
  writer_has_no_device,
  writer_has_no_compile
};
constexpr Fault kFault = FAULT;

int run(void*, const frit_call*) { return FRIT_PLUGIN_OK; }
int fake(void*, const frit_call*, frit_types*) { return FRIT_PLUGIN_OK; }
int compile(void*, const frit_kernel*, frit_compiled_kernel*) { return FRIT_PLUGIN_FAILED; }

frit_op make_op() {
  frit_op op = {sizeof op, "faulty::op(Tensor x) -> Tensor", nullptr, run, fake, FRIT_AUTOCAST_NONE,
                0};
  if (kFault == op_is_too_small) op.size = 8;
  if (kFault == op_has_no_schema) op.schema = nullptr;
  if (kFault == op_has_a_bad_schema) op.schema = "faulty::op(Tensor x, complex y) -> Tensor";
  if (kFault == op_has_no_run) op.run = nullptr;
  if (kFault == op_has_no_fake) op.fake = nullptr;
  if (kFault == op_has_no_such_autocast) op.autocast = 9;
  if (kFault == op_is_there_otherwise) op.schema = "taken::op(Tensor y) -> Tensor";
  return op;
}

frit_writer make_writer() {
  frit_writer writer = {sizeof writer, "cpu", "faulty", nullptr, compile};
  if (kFault == writer_is_too_small) writer.size = 8;
  if (kFault == writer_has_no_name) writer.name = "";
  if (kFault == writer_has_a_taken_name) writer.name = "native";
  if (kFault == writer_has_no_device) writer.device = "toaster";
  if (kFault == writer_has_no_compile) writer.compile = nullptr;
  return writer;
}

}  // namespace

FRIT_PLUGIN_ABI;

int frit_plugin_init(const frit_host* host, frit_plugin* self) {
  if (kFault >= writer_is_null) {
    const frit_writer writer = make_writer();
    return host->register_writer(self, kFault == writer_is_null ? nullptr : &writer);
  }
  frit_op op = make_op();
  int status = host->register_op(self, kFault == op_is_null ? nullptr : &op);
  if (kFault == op_is_there_twice) return host->register_op(self, &op);
  for (int i = 0; kFault == ops_are_too_many && status == FRIT_PLUGIN_OK; ++i) {
    const std::string schema = "faulty::op" + std::to_string(i) + "(Tensor x) -> Tensor";
    op.schema = schema.c_str();
    status = host->register_op(self, &op);
  }
  return kFault == op_and_then_init_fails ? FRIT_PLUGIN_FAILED : status;
}
