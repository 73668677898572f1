// A plug-in with one fault, which FAULT names: tests build it once for each.
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "frit/plugin.h"

namespace {

enum Fault {
  none,
  init_fails,
  init_fails_silently,
  init_throws,
  init_throws_an_int,
  init_crashes,
  init_aborts,
  init_registers_and_fails,
  registers_null,
  compile_is_null,
  is_too_small,
  has_no_name,
  has_a_taken_name,
  has_no_stage,
  keeps_unknown_ops,
  compile_throws,
  compile_gives_nothing,
  compile_refuses,
  run_fails,
  run_throws,
  other_self,
  newer_minor
};
constexpr Fault kFault = FAULT;

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

const frit_host* host;

int run(void*, const frit_tensor* inputs, frit_tensor* outputs) {
  if (kFault == run_throws) throw std::runtime_error("out of coal");
  const auto* x = static_cast<const float*>(inputs[0].data);
  auto* y = static_cast<float*>(outputs[0].data);
  for (int64_t i = 0; i < inputs[0].sizes[0]; ++i) y[i] = x[i] * 2 + 1;
  if (kFault != run_fails) return FRIT_PLUGIN_OK;
  host->set_error("out of steam");
  return FRIT_PLUGIN_FAILED;
}

int compile(void*, const frit_graph*, frit_compiled* compiled) {
  if (kFault == compile_throws) throw std::runtime_error("cannot read");
  if (kFault == compile_gives_nothing) return FRIT_PLUGIN_OK;
  compiled->run = run;
  if (kFault != compile_refuses) return FRIT_PLUGIN_OK;
  host->set_error("not today");
  return FRIT_PLUGIN_FAILED;
}

[[maybe_unused]] frit_backend make_backend() {
  frit_backend backend = {sizeof backend, TEXT(FAULT), FRIT_STAGE_CAPTURE, 0, nullptr, compile,
                          nullptr,        nullptr};
  static const char* const kUnknown[] = {"frobnicate", nullptr};
  if (kFault == compile_is_null) backend.compile = nullptr;
  if (kFault == is_too_small) backend.size = 8;
  if (kFault == has_no_name) backend.name = nullptr;
  if (kFault == has_a_taken_name) backend.name = "native";
  if (kFault == has_no_stage) backend.stage = 7;
  if (kFault == keeps_unknown_ops) {
    backend.stage = FRIT_STAGE_NORMALIZED;
    backend.keep = kUnknown;
  }
  if (kFault == newer_minor) backend.size += 64;  // members that this Frit does not know
  return backend;
}

}  // namespace

#ifdef MAJOR
#undef FRIT_PLUGIN_MAJOR
#define FRIT_PLUGIN_MAJOR MAJOR
#endif
#ifdef MINOR
#undef FRIT_PLUGIN_MINOR
#define FRIT_PLUGIN_MINOR MINOR
#endif
#ifndef NO_ABI
FRIT_PLUGIN_ABI;
#endif

#ifndef NO_INIT
int frit_plugin_init(const frit_host* given, frit_plugin* self) {
  host = given;
  self->name = TEXT(FAULT);
  if (kFault == init_throws) throw std::runtime_error("no coffee");
  if (kFault == init_throws_an_int) throw 7;
  if (kFault == init_crashes) std::raise(SIGSEGV);  // no store, which a sanitizer would see
  if (kFault == init_aborts) std::abort();
  if (kFault == init_fails_silently) return 3;
  if (kFault == init_fails) return host->set_error("no licence"), FRIT_PLUGIN_FAILED;
  struct {
    frit_backend known;
    char later[64];
  } backend = {make_backend(), {}};
  frit_plugin other = *self;
  const int status = host->register_backend(kFault == other_self ? &other : self,
                                            kFault == registers_null ? nullptr : &backend.known);
  if (kFault != init_registers_and_fails) return status;
  host->set_error("changed its mind");
  return FRIT_PLUGIN_FAILED;
}
#endif
