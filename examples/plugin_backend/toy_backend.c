// A toy accelerator as a plug-in: it takes graphs of a few elementwise ops on f32 tensors of one
// size, and computes element by element; all others it refuses, and Frit runs them itself.
//
//   cc -std=c99 -shared -fPIC -o toy_backend.so toy_backend.c $(pkg-config --cflags frit)
//   FRIT_PLUGINS=./toy_backend.so some_program
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frit/plugin.h"

#define MAX_VALUES 64
#define NAME_SIZE 32

static const frit_host* host;

// Every input, number and result of a graph is a register; results are in the order of the ops.
typedef struct {
  char op;  // one of + - * n(egate) r(elu)
  int a, b, result;
} step;

typedef struct {
  int num_registers, num_inputs, num_steps, output;
  char names[MAX_VALUES][NAME_SIZE];  // "%x0"; empty for a number
  float numbers[MAX_VALUES];
  step steps[MAX_VALUES];
} program;

static int refuse(const char* format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  host->set_error(text);
  return FRIT_PLUGIN_FAILED;
}

static int64_t count(const frit_type* type) {
  int64_t n = 1;
  for (int d = 0; d < type->rank; ++d) n *= type->sizes[d];
  return n;
}

// Whether it is an f32 tensor of those sizes without gaps.
static int is_like(const frit_type* type, const frit_type* like) {
  if (type->kind != FRIT_TENSOR || type->dtype != FRIT_F32 || type->rank != like->rank) return 0;
  int64_t stride = 1;
  for (int d = type->rank - 1; d >= 0; --d) {
    if (type->sizes[d] != like->sizes[d]) return 0;
    if (type->sizes[d] != 1 && type->strides[d] != stride) return 0;
    stride *= type->sizes[d];
  }
  return 1;
}

// The next register, with a name or, where that is empty, a number. -1: there are no more.
static int new_register(program* p, const char* name, float number) {
  if (p->num_registers == MAX_VALUES || strlen(name) >= NAME_SIZE) return -1;
  strcpy(p->names[p->num_registers], name);
  p->numbers[p->num_registers] = number;
  return p->num_registers++;
}

// An operand as the text has it: %x0, or a number. -1: it is neither.
static int find_register(program* p, const char* operand) {
  if (operand[0] != '%') {
    char* end;
    const float number = strtof(operand, &end);
    return end == operand || *end != '\0' ? -1 : new_register(p, "", number);
  }
  for (int r = 0; r < p->num_registers; ++r)
    if (strcmp(p->names[r], operand) == 0) return r;
  return -1;
}

static char code_of(const char* op, int operands) {
  if (operands == 2)
    return strcmp(op, "add") == 0   ? '+'
           : strcmp(op, "sub") == 0 ? '-'
           : strcmp(op, "mul") == 0 ? '*'
                                    : 0;
  return strcmp(op, "neg") == 0 ? 'n' : strcmp(op, "relu") == 0 ? 'r' : 0;
}

// "%1: f32[4] = add %0, 1" or "return %1".
static int read_line(program* p, const char* line) {
  char result[NAME_SIZE], op[NAME_SIZE], a[NAME_SIZE], b[NAME_SIZE], rest[2];
  if (sscanf(line, " return %31s %1s", a, rest) == 1)
    return (p->output = find_register(p, a)) < 0 ? refuse("what it returns") : FRIT_PLUGIN_OK;
  const int fields =
      sscanf(line, " %31[^:]: %*[^=]= %31s %31[^, ], %31s %1s", result, op, a, b, rest);
  const int operands = fields - 2;
  step s = {0, 0, 0, 0};
  if (operands == 1 || operands == 2) s.op = code_of(op, operands);
  if (s.op == 0) return refuse("no unit for: %s", line);
  s.a = find_register(p, a);
  if (operands == 2) s.b = find_register(p, b);
  if (s.a < 0 || s.b < 0) return refuse("operands of: %s", line);
  s.result = new_register(p, result, 0);
  if (s.result < 0) return refuse("too many values");
  p->steps[p->num_steps++] = s;
  return FRIT_PLUGIN_OK;
}

// The names of the inputs stand in the first line, graph %trace(%x0: f32[4], %x1: f32[4]) -> ...
static int read_inputs(program* p, const char* text, int num_inputs) {
  const char* at = strchr(text, '(');
  for (int i = 0; i < num_inputs; ++i) {
    char name[NAME_SIZE];
    at = at != NULL ? strchr(at, '%') : NULL;
    if (at == NULL || sscanf(at, "%31[^:]", name) != 1 || new_register(p, name, 0) < 0)
      return refuse("too many inputs");
    at += strlen(name);
  }
  p->num_inputs = num_inputs;
  return FRIT_PLUGIN_OK;
}

static int read_graph(program* p, const frit_graph* graph) {
  if (graph->num_outputs != 1) return refuse("%d outputs", graph->num_outputs);
  if (!is_like(&graph->outputs[0], &graph->outputs[0])) return refuse("the output's type");
  for (int i = 0; i < graph->num_inputs; ++i)
    if (!is_like(&graph->inputs[i], &graph->outputs[0])) return refuse("the type of input %d", i);
  if (read_inputs(p, graph->text, graph->num_inputs) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
  for (const char* line = strchr(graph->text, '\n') + 1; *line != '}';
       line = strchr(line, '\n') + 1) {
    char copy[200];
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
    if (read_line(p, copy) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
  }
  return FRIT_PLUGIN_OK;
}

static float compute(const step* s, const float* registers) {
  const float a = registers[s->a], b = registers[s->b];
  switch (s->op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case 'n':
      return -a;
    default:
      return a < 0 ? 0 : a;  // NaN stays
  }
}

static int run(void* state, const frit_tensor* inputs, frit_tensor* outputs) {
  const program* p = state;
  const frit_type type = {outputs->sizes, outputs->strides, outputs->dtype,
                          outputs->rank,  FRIT_TENSOR,      0};
  const int64_t n = count(&type);
  float* to = outputs->data;
  float registers[MAX_VALUES];
  memcpy(registers, p->numbers, sizeof registers);
  for (int64_t i = 0; i < n; ++i) {
    for (int r = 0; r < p->num_inputs; ++r) registers[r] = ((const float*)inputs[r].data)[i];
    for (int s = 0; s < p->num_steps; ++s)
      registers[p->steps[s].result] = compute(&p->steps[s], registers);
    to[i] = registers[p->output];
  }
  return FRIT_PLUGIN_OK;
}

static int compile(void* context, const frit_graph* graph, frit_compiled* compiled) {
  (void)context;
  program* p = calloc(1, sizeof *p);
  if (p == NULL) return refuse("no memory");
  if (read_graph(p, graph) != FRIT_PLUGIN_OK) {
    free(p);
    return FRIT_PLUGIN_FAILED;
  }
  if (FRIT_PLUGIN_HAS(host, log)) host->log("compiled a graph");
  compiled->state = p;
  compiled->run = run;
  compiled->destroy = free;
  return FRIT_PLUGIN_OK;
}

FRIT_PLUGIN_ABI;

int frit_plugin_init(const frit_host* given, frit_plugin* self) {
  host = given;
  self->name = "toy accelerator";
  self->version = "0.1";
  frit_backend backend;
  memset(&backend, 0, sizeof backend);
  backend.size = sizeof backend;
  backend.name = "toy";
  backend.stage = FRIT_STAGE_NORMALIZED;
  backend.compile = compile;
  return host->register_backend(self, &backend);
}
