// A plug-in in C with ops that say what they were handed, and some that compute.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frit/plugin.h"

#define TEXT_SIZE 512

static const frit_host* host;

static int refuse(const char* why) {
  host->set_error(why);
  return FRIT_PLUGIN_FAILED;
}

// ---- ops::describe: the call as text ----

typedef struct {
  char* text;
  size_t used;
} writer;

static void put(writer* w, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(w->text + w->used, TEXT_SIZE - w->used, format, arguments);
  va_end(arguments);
  w->used += (size_t)length < TEXT_SIZE - w->used ? (size_t)length : TEXT_SIZE - 1 - w->used;
}

static void put_operand(writer* w, const frit_call* call, int i) {
  const frit_tensor* t = &call->operands[i];
  put(w, " %d:", call->arguments[i]);
  if (call->kinds[i] == FRIT_ABSENT) {
    put(w, "-");
  } else if (call->kinds[i] == FRIT_TENSOR) {
    put(w, "t%d", t->dtype);
    for (int d = 0; d < t->rank; ++d)
      put(w, "%c%lld/%lld", d == 0 ? '[' : ',', (long long)t->sizes[d], (long long)t->strides[d]);
    put(w, "%s", t->rank > 0 ? "]" : "");
  } else if (t->dtype == FRIT_F64) {
    put(w, "%g", *(const double*)t->data);
  } else {
    put(w, "%lld", (long long)*(const int64_t*)t->data);
  }
}

static void put_attribute(writer* w, const frit_attribute* a) {
  put(w, " %s=%d", a->name, a->kind);
  for (int v = 0; v < a->num_values; ++v)
    put(w, "%c%lld", v == 0 ? ':' : ',', (long long)a->values[v]);
  if (a->kind == FRIT_ATTR_TEXT) put(w, ":%s", a->text);
}

static int describe(void* context, const frit_call* call) {
  writer w = {call->results[0].data, 0};
  memset(w.text, 0, TEXT_SIZE);
  put(&w, "%s %s", (const char*)context, call->op);
  for (int i = 0; i < call->num_operands; ++i) put_operand(&w, call, i);
  for (int i = 0; i < call->num_attributes; ++i) put_attribute(&w, &call->attributes[i]);
  return FRIT_PLUGIN_OK;
}

static int text_type(void* context, const frit_call* call, frit_types* types) {
  const int64_t size = TEXT_SIZE;
  const frit_type type = {&size, NULL, FRIT_U8, 1, FRIT_TENSOR, 0};
  (void)context;
  if (call->num_results != 0 || call->operands[0].data != NULL) return refuse("not only types");
  return host->add_type(types, &type);
}

// ---- ops::scale: x * by, of a matrix ----

static int scale(void* context, const frit_call* call) {
  const frit_tensor *x = &call->operands[0], *y = &call->results[0];
  const float by = (float)*(const double*)call->operands[1].data;
  (void)context;
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    for (int64_t k = 0; k < x->sizes[1]; ++k)
      ((float*)y->data)[i * y->strides[0] + k * y->strides[1]] =
          by * ((const float*)x->data)[i * x->strides[0] + k * x->strides[1]];
  return FRIT_PLUGIN_OK;
}

static int like_first(void* context, const frit_call* call, frit_types* types) {
  const frit_tensor* x = &call->operands[0];
  const frit_type type = {x->sizes, x->strides, x->dtype, x->rank, FRIT_TENSOR, 0};
  (void)context;
  if (call->kinds[0] != FRIT_TENSOR) return refuse("no tensor");
  return host->add_type(types, &type);
}

// ---- ops::accumulate_: adds y to x, which are rows ----

static int accumulate(void* context, const frit_call* call) {
  const frit_tensor *x = &call->operands[0], *y = &call->operands[1];
  (void)context;
  if (call->num_results != 0) return refuse("a result");
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    ((float*)x->data)[i * x->strides[0]] += ((const float*)y->data)[i * y->strides[0]];
  return FRIT_PLUGIN_OK;
}

// ---- ops::third: x / 3 in f32, whatever x is ----

static int third(void* context, const frit_call* call) {
  const frit_tensor *x = &call->operands[0], *y = &call->results[0];
  (void)context;
  if (x->dtype != FRIT_F32 || y->dtype != FRIT_F32) return refuse("not f32");
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    ((float*)y->data)[i * y->strides[0]] = ((const float*)x->data)[i * x->strides[0]] / 3;
  return FRIT_PLUGIN_OK;
}

// ---- ops::filled: as long as the row x, of the number and its type ----

static int filled(void* context, const frit_call* call) {
  const frit_tensor *by = &call->operands[1], *y = &call->results[0];
  const size_t width = by->dtype == FRIT_BOOL ? 1 : 8;
  (void)context;
  for (int64_t i = 0; i < y->sizes[0]; ++i) memcpy((char*)y->data + i * width, by->data, width);
  return FRIT_PLUGIN_OK;
}

static int filled_type(void* context, const frit_call* call, frit_types* types) {
  const frit_type type = {
      call->operands[0].sizes, NULL, call->operands[1].dtype, 1, FRIT_TENSOR, 0};
  (void)context;
  return host->add_type(types, &type);
}

FRIT_PLUGIN_ABI;

int frit_plugin_init(const frit_host* given, frit_plugin* self) {
  static char context[] = "hello";
  const frit_op ops[] = {
      {sizeof(frit_op),
       "ops::describe(Tensor x, float by=0.5, *, Tensor? y=None, float? z=None, Tensor[] more, "
       "Scalar s=7, int n=3, int? k=None, int[] dims=[1, 2], bool flip=False, str mode=\"plain\") "
       "-> Tensor",
       context, describe, text_type, FRIT_AUTOCAST_NONE, 0},
      {sizeof(frit_op), "ops::scale(Tensor x, float by) -> Tensor", NULL, scale, like_first,
       FRIT_AUTOCAST_NONE, 0},
      {sizeof(frit_op), "ops::accumulate_(Tensor(a!) x, Tensor y) -> Tensor(a!)", NULL, accumulate,
       NULL, FRIT_AUTOCAST_NONE, 0},
      {sizeof(frit_op), "ops::third(Tensor x) -> Tensor", NULL, third, like_first,
       FRIT_AUTOCAST_F32, 0},
      {sizeof(frit_op), "ops::filled(Tensor x, Scalar by) -> Tensor", NULL, filled, filled_type,
       FRIT_AUTOCAST_NONE, 0},
  };
  host = given;
  self->name = "ops";
  self->version = "1.0";
  for (size_t i = 0; i < sizeof ops / sizeof ops[0]; ++i)
    if (host->register_op(self, &ops[i]) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
  return FRIT_PLUGIN_OK;
}
