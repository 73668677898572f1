/* The simulated device as a plug-in that knows nothing of Frit but frit/plugin.h: its memory, a
   kernel for one op, and a compiler for graphs of a program's own ops. It makes a graph a list of
   instructions on whole tensors, and refuses what it has none for; then Frit runs the ops one by
   one, by the kernel or on the CPU.

     cc -std=c99 -shared -fPIC -o npu.so capture_plugin.c -I. $(pkg-config --cflags frit)
     FRIT_PLUGINS=./npu.so some_program */
#include "examples/npu/npu_memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "frit/plugin.h"

#define MAX_VALUES 32
#define NAME_SIZE 24

static const frit_host* host;

static int fail(const char* problem) {
  host->set_error(problem);
  return FRIT_PLUGIN_FAILED;
}

/* Memory. */

static void* allocate(void* context, int32_t index, int64_t bytes) {
  (void)context, (void)index;
  return npu_allocate(bytes);
}
static void deallocate(void* context, int32_t index, void* memory, int64_t bytes) {
  (void)context, (void)index;
  npu_deallocate(memory, bytes);
}
static int copy_in(void* context, int32_t index, void* to, const void* from, int64_t bytes) {
  (void)context, (void)index;
  npu_copy_in(to, from, bytes);
  return FRIT_PLUGIN_OK;
}
static int copy_out(void* context, int32_t index, void* to, const void* from, int64_t bytes) {
  (void)context, (void)index;
  npu_copy_out(to, from, bytes);
  return FRIT_PLUGIN_OK;
}

/* Instructions: of n elements each, b may be one for all. */

typedef void (*instruction)(float* out, const float* a, const float* b, int step, int64_t n);

static void run_add(float* out, const float* a, const float* b, int step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i * step];
}
static void run_mul(float* out, const float* a, const float* b, int step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] * b[i * step];
}
static void run_relu(float* out, const float* a, const float* b, int step, int64_t n) {
  (void)b, (void)step;
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] < 0 ? 0 : a[i];
}

static instruction find_instruction(const char* op, int operands) {
  if (operands == 2 && strcmp(op, "add") == 0) return run_add;
  if (operands == 2 && strcmp(op, "mul") == 0) return run_mul;
  return operands == 1 && strcmp(op, "relu") == 0 ? run_relu : NULL;
}

/* -1 where it is no f32 tensor without gaps. */
static int64_t count(int32_t dtype, int32_t rank, const int64_t* sizes, const int64_t* strides) {
  int64_t n = 1;
  for (int d = rank - 1; d >= 0; --d) {
    if (sizes[d] != 1 && strides[d] != n) return -1;
    n *= sizes[d];
  }
  return dtype == FRIT_F32 ? n : -1;
}

/* One op on one call's tensors. */
static int run_kernel(void* context, const frit_call* call) {
  (void)context;
  const frit_tensor *x = &call->operands[0], *y = &call->results[0];
  const int64_t n = count(x->dtype, x->rank, x->sizes, x->strides);
  if (n < 0) return FRIT_PLUGIN_DECLINED;
  run_relu(npu_view(y->data), npu_view(x->data), NULL, 0, n);
  return FRIT_PLUGIN_OK;
}

/* A graph as instructions. Values are numbered: its inputs, then a number or result each. */

typedef struct {
  int num_inputs, num_values, output;
  int64_t n;
  char names[MAX_VALUES][NAME_SIZE];
  float numbers[MAX_VALUES];
  instruction run[MAX_VALUES]; /* null: an input or a number */
  int a[MAX_VALUES], b[MAX_VALUES];
} program;

static int add_value(program* p, const char* name, float number) {
  if (p->num_values == MAX_VALUES) return -1;
  strcpy(p->names[p->num_values], name);
  p->numbers[p->num_values] = number;
  return p->num_values++;
}

/* %x0, or 2.5. */
static int find_value(program* p, const char* text) {
  for (int v = 0; v < p->num_values; ++v)
    if (text[0] == '%' && strcmp(p->names[v], text) == 0) return v;
  char* end;
  const float number = strtof(text, &end);
  return end != text && *end == '\0' ? add_value(p, "", number) : -1;
}

/* "%1: f32[4]@npu:0 = add %0, 1" or "return %1". */
static int read_line(program* p, const char* line) {
  char result[NAME_SIZE], op[NAME_SIZE], a[NAME_SIZE], b[NAME_SIZE], rest[2];
  if (sscanf(line, " return %23s %1s", a, rest) == 1) {
    p->output = find_value(p, a);
    return p->output >= p->num_inputs ? FRIT_PLUGIN_OK : fail("it returns an input");
  }
  const int fields =
      sscanf(line, " %23[^:]: %*[^=]= %23s %23[^, ], %23s %1s", result, op, a, b, rest);
  const instruction run = fields == 3 || fields == 4 ? find_instruction(op, fields - 2) : NULL;
  if (run == NULL) return fail(line);
  const int left = find_value(p, a), right = fields == 4 ? find_value(p, b) : left;
  const int made =
      left < 0 || right < 0 || p->names[left][0] == '\0' ? -1 : add_value(p, result, 0);
  if (made < 0) return fail("more than it can take");
  p->run[made] = run;
  p->a[made] = left;
  p->b[made] = right;
  return FRIT_PLUGIN_OK;
}

static int read_graph(program* p, const frit_graph* graph) {
  const frit_type* out = &graph->outputs[0];
  p->n = count(out->dtype, out->rank, out->sizes, out->strides);
  if (graph->num_outputs != 1 || p->n < 0) return fail("one f32 output is what it can take");
  const char* at = strchr(graph->text, '(');
  for (int i = 0; i < graph->num_inputs; ++i) {
    const frit_type* in = &graph->inputs[i];
    char name[NAME_SIZE];
    at = strchr(at, '%');
    if (in->kind != FRIT_TENSOR || count(in->dtype, in->rank, in->sizes, in->strides) != p->n)
      return fail("inputs that are not like the output");
    if (sscanf(at, "%23[^:]", name) != 1 || add_value(p, name, 0) < 0)
      return fail("too many inputs");
    at += strlen(name);
  }
  p->num_inputs = graph->num_inputs;
  for (at = strchr(graph->text, '\n') + 1; *at != '}'; at = strchr(at, '\n') + 1) {
    char line[160];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    if (read_line(p, line) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
  }
  return FRIT_PLUGIN_OK;
}

static int run_graph(void* state, const frit_tensor* inputs, frit_tensor* outputs) {
  const program* p = (const program*)state;
  const float* values[MAX_VALUES];
  void* scratch = npu_allocate((int64_t)sizeof(float) * p->n * p->num_values);
  if (scratch == NULL) return fail("out of device memory");
  for (int v = 0; v < p->num_values; ++v) {
    float* made = (float*)npu_view(scratch) + v * p->n;
    values[v] = v < p->num_inputs   ? (const float*)npu_view(inputs[v].data)
                : p->run[v] == NULL ? &p->numbers[v]
                                    : made;
    if (v == p->output) values[v] = made = (float*)npu_view(outputs[0].data);
    if (p->run[v] == NULL) continue;
    const int b = p->b[v], one = b >= p->num_inputs && p->run[b] == NULL;
    p->run[v](made, values[p->a[v]], values[b], !one, p->n);
  }
  npu_deallocate(scratch, (int64_t)sizeof(float) * p->n * p->num_values);
  return FRIT_PLUGIN_OK;
}

static int compile_graph(void* context, const frit_graph* graph, frit_compiled* compiled) {
  (void)context;
  program* p = (program*)calloc(1, sizeof *p);
  if (p == NULL) return fail("no memory");
  if (read_graph(p, graph) != FRIT_PLUGIN_OK) {
    free(p);
    return FRIT_PLUGIN_FAILED;
  }
  compiled->state = p;
  compiled->run = run_graph;
  compiled->destroy = free;
  return FRIT_PLUGIN_OK;
}

FRIT_PLUGIN_ABI;

int frit_plugin_init(const frit_host* given, frit_plugin* self) {
  static const char* const devices[] = {"npu", NULL};
  frit_device device;
  frit_device_kernel kernel;
  frit_backend backend;
  host = given;
  self->name = "npu";
  self->version = "0.1";
  if (!FRIT_PLUGIN_HAS(host, register_kernel)) return fail("this Frit has no devices");

  memset(&device, 0, sizeof device);
  device.size = sizeof device;
  device.name = "npu";
  device.count = 2;
  device.allocate = allocate;
  device.deallocate = deallocate;
  device.copy_in = copy_in;
  device.copy_out = copy_out;
  if (host->register_device(self, &device) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;

  memset(&kernel, 0, sizeof kernel);
  kernel.size = sizeof kernel;
  kernel.device = "npu";
  kernel.op = "relu";
  kernel.run = run_kernel;
  if (host->register_kernel(self, &kernel) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;

  memset(&backend, 0, sizeof backend);
  backend.size = sizeof backend;
  backend.name = "npu";
  backend.stage = FRIT_STAGE_CAPTURE;
  backend.compile = compile_graph;
  backend.devices = devices;
  return host->register_backend(self, &backend);
}
