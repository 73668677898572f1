// Explanations as JSON.
#include "frit/compile.h"
#include "src/base/json.h"
#include "src/capture/reason.h"
#include "src/graph/types.h"

namespace frit {
namespace {

using base::JsonWriter;

struct GuardKind {
  std::string_view name, meaning;
  capture::Reason reason;  // when one fails
};

GuardKind kind_of(Guard::Kind kind) {
  switch (kind) {
#define FRIT_GUARD(kind, name, reason, meaning) \
  case Guard::Kind::kind:                       \
    return {name, meaning, capture::Reason::reason};
#include "src/capture/guards.def"
  }
  __builtin_unreachable();
}

void write_numbers(const char* key, const std::vector<int64_t>& numbers, JsonWriter* json) {
  json->key(key).begin_array();
  for (int64_t number : numbers) json->value(number);
  json->end_array();
}

void write_texts(const char* key, const std::vector<std::string>& texts, JsonWriter* json) {
  json->key(key).begin_array();
  for (const std::string& text : texts) json->value(text);
  json->end_array();
}

void write_guard(const Guard& guard, JsonWriter* json) {
  const GuardKind kind = kind_of(guard.kind);
  json->begin_object().key("kind").value(kind.name).key("subject").value(guard.subject);
  json->key("meaning").value(kind.meaning);
  json->key("exit_reason").value(capture::info(kind.reason).name);
  switch (guard.kind) {
    case Guard::Kind::kLayout:
      json->key("dtype").value(name(guard.dtype));
      write_numbers("sizes", guard.sizes, json);
      write_numbers("strides", guard.strides, json);
      break;
    case Guard::Kind::kScalar:
      // As text: JSON has neither infinities nor integers apart from floats.
      json->key("value").value(graph::print_scalar(guard.scalar));
      break;
    case Guard::Kind::kAliases:
      json->key("shares").value(guard.shares).key("offset").value(guard.offset);
      break;
    case Guard::Kind::kEnvironment:
      break;
  }
  json->key("text").value(guard.str()).end_object();
}

void write_exit(const PlanExit& exit, JsonWriter* json) {
  json->key("last_exit").begin_object();
  if (exit.step >= 0) {
    json->key("step").value(exit.step).key("reason").value(exit.reason);
    json->key("call").value(exit.call).key("subject").value(exit.subject);
    json->key("expected").value(exit.expected).key("actual").value(exit.actual);
    json->key("text").value(exit.str());
  }
  json->end_object();
}

void write_form(const PlanForm& form, JsonWriter* json) {
  json->begin_object().key("build_us").value(form.build_us).key("exact").value(form.exact);
  json->key("captured").value(form.captured).key("normalized").value(form.normalized);
  write_texts("facts", form.facts, json);
  write_texts("kernels", form.kernels, json);
  write_texts("writers", form.writers, json);
  write_texts("fallbacks", form.fallbacks, json);
  write_texts("listings", form.listings, json);
  json->end_object();
}

void write_plan(const PlanReport& plan, JsonWriter* json) {
  json->begin_object().key("id").value(static_cast<int64_t>(plan.id));
  json->key("backend").value(plan.backend);
  json->key("entries").value(plan.entries).key("exits").value(plan.exits);
  write_exit(plan.last_exit, json);
  json->key("guards").begin_array();
  for (const Guard& guard : plan.guards) write_guard(guard, json);
  json->end_array().key("forms").begin_array();
  for (const PlanForm& form : plan.forms) write_form(form, json);
  json->end_array().end_object();
}

}  // namespace

std::string Explanation::json() const {
  JsonWriter json;
  json.begin_object().key("plans").begin_array();
  for (const PlanReport& plan : plans) write_plan(plan, &json);
  json.end_array().key("breaks").begin_object();
  for (const auto& [reason, count] : breaks) json.key(reason).value(count);
  json.end_object().end_object();
  return json.str();
}

}  // namespace frit
