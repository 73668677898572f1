// A code generator as a plug-in: it takes kernels like y[i] = x[i]*2 + 1, of one row in f32 and of
// + - * and /, and makes of them programs for a machine with a stack: x 2 * 1 +. All others it
// refuses, and Frit's own writer makes them.
//
//   cc -std=c99 -shared -fPIC -o postfix_writer.so postfix_writer.c $(pkg-config --cflags frit)
//   FRIT_PLUGINS=./postfix_writer.so some_program
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frit/plugin.h"

#define MAX_STEPS 64
#define LISTING_SIZE 1024

static const frit_host* host;

typedef struct {
  char kind;  // b(uffer), s(calar), n(umber), or one of + - * /
  int word;   // of a buffer or a scalar: where in a kernel's arguments it is
  float number;
} step;

typedef struct {
  int num_steps, output;  // the latter as a step's word
  step steps[MAX_STEPS];
  char listing[LISTING_SIZE];
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

// ---- from y[i] = x[i]*2 + 1 to a program ----

typedef struct {
  const frit_kernel* kernel;
  const char* at;
  program* made;
} reader;

static int read_sum(reader* r);

static int add_step(reader* r, step s) {
  if (r->made->num_steps == MAX_STEPS) return refuse("too many steps");
  r->made->steps[r->made->num_steps++] = s;
  return FRIT_PLUGIN_OK;
}

static int is_at(reader* r, const char* text) {
  const size_t length = strlen(text);
  if (strncmp(r->at, text, length) != 0) return 0;
  r->at += length;
  return 1;
}

// The parameter that the line calls `name`: buffers that are only read are x, or x0, x1, ... where
// there are several, and those that are written y; scalars have their own names.
static const frit_param* find_param(const frit_kernel* kernel, const char* name) {
  const int is_buffer = name[0] == 'x' || name[0] == 'y';
  int number = name[1] == '\0' ? 0 : atoi(name + 1);
  for (int p = 0; p < kernel->num_params; ++p) {
    const frit_param* param = &kernel->params[p];
    if (param->kind == FRIT_PARAM_SCALAR && strcmp(param->name, name) == 0) return param;
    if (is_buffer && param->kind == FRIT_PARAM_BUFFER && param->written == (name[0] == 'y') &&
        number-- == 0)
      return param;
  }
  return NULL;
}

// x[i], s0, 2.5 or (...).
static int read_factor(reader* r) {
  char name[32], *end;
  if (is_at(r, "(")) {
    if (read_sum(r) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
    return is_at(r, ")") ? FRIT_PLUGIN_OK : refuse("cannot read: %s", r->at);
  }
  const float number = strtof(r->at, &end);
  if (end != r->at) {
    r->at = end;
    return add_step(r, (step){'n', 0, number});
  }
  if (sscanf(r->at, "%31[a-z0-9_]", name) != 1) return refuse("cannot read: %s", r->at);
  r->at += strlen(name);
  const frit_param* param = find_param(r->kernel, name);
  if (param == NULL) return refuse("no unit for %s", name);
  if (param->dtype != FRIT_F32) return refuse("%s is not f32", name);
  if (param->kind == FRIT_PARAM_SCALAR) return add_step(r, (step){'s', param->word, 0});
  if (!is_at(r, "[i]")) return refuse("cannot read: %s%s", name, r->at);
  if (param->access[0] != FRIT_ACCESS_UNIT) return refuse("%s has gaps", name);
  return add_step(r, (step){'b', param->word, 0});
}

static int read_product(reader* r) {
  if (read_factor(r) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
  while (*r->at == '*' || *r->at == '/') {
    const char kind = *r->at++;
    if (read_factor(r) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
    if (add_step(r, (step){kind, 0, 0}) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
  }
  return FRIT_PLUGIN_OK;
}

static int read_sum(reader* r) {
  if (read_product(r) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
  while (strncmp(r->at, " + ", 3) == 0 || strncmp(r->at, " - ", 3) == 0) {
    const char kind = r->at[1];
    r->at += 3;
    if (read_product(r) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
    if (add_step(r, (step){kind, 0, 0}) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
  }
  return FRIT_PLUGIN_OK;
}

static int read_kernel(const frit_kernel* kernel, program* made) {
  reader r = {kernel, kernel->one_line, made};
  if (!is_at(&r, "y[i] = ")) return refuse("not one row");
  const frit_param* output = find_param(kernel, "y");
  if (output->dtype != FRIT_F32) return refuse("y is not f32");
  made->output = output->word;
  if (read_sum(&r) != FRIT_PLUGIN_OK) return FRIT_PLUGIN_FAILED;
  return *r.at == '\0' ? FRIT_PLUGIN_OK : refuse("cannot read: %s", r.at);
}

// x 2 * 1 +, where arguments are called by their words: a0 2 * 1 +
static void write_listing(program* p) {
  size_t used = 0;
  for (int s = 0; s < p->num_steps && used + 40 < LISTING_SIZE; ++s) {
    char* to = p->listing + used;
    const step* it = &p->steps[s];
    if (it->kind == 'n') {
      used += (size_t)sprintf(to, "%.9g ", it->number);
    } else if (it->kind == 'b' || it->kind == 's') {
      used += (size_t)sprintf(to, "a%d ", it->word);
    } else {
      used += (size_t)sprintf(to, "%c ", it->kind);
    }
  }
  p->listing[used > 0 ? used - 1 : 0] = '\0';
}

// ---- running it ----

static float as_float(uint64_t word) {
  const uint32_t bits = (uint32_t)word;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float compute(char kind, float a, float b) {
  return kind == '+' ? a + b : kind == '-' ? a - b : kind == '*' ? a * b : a / b;
}

static int run(void* state, const uint64_t* args, int64_t begin, int64_t end) {
  const program* p = state;
  float* to = (float*)(uintptr_t)args[p->output];
  float stack[MAX_STEPS];
  for (int64_t i = begin; i < end; ++i) {
    int top = 0;
    for (int s = 0; s < p->num_steps; ++s) {
      const step* it = &p->steps[s];
      if (it->kind == 'n') {
        stack[top++] = it->number;
      } else if (it->kind == 's') {
        stack[top++] = as_float(args[it->word]);
      } else if (it->kind == 'b') {
        stack[top++] = ((const float*)(uintptr_t)args[it->word])[i];
      } else {
        --top;
        stack[top - 1] = compute(it->kind, stack[top - 1], stack[top]);
      }
    }
    to[i] = stack[0];
  }
  return FRIT_PLUGIN_OK;
}

static int compile(void* context, const frit_kernel* kernel, frit_compiled_kernel* compiled) {
  (void)context;
  program* p = calloc(1, sizeof *p);
  if (p == NULL) return refuse("no memory");
  if (read_kernel(kernel, p) != FRIT_PLUGIN_OK) {
    free(p);
    return FRIT_PLUGIN_FAILED;
  }
  write_listing(p);
  compiled->state = p;
  compiled->run = run;
  compiled->destroy = free;
  compiled->listing = p->listing;
  return FRIT_PLUGIN_OK;
}

FRIT_PLUGIN_ABI;

int frit_plugin_init(const frit_host* given, frit_plugin* self) {
  const frit_writer writer = {sizeof writer, "cpu", "postfix", NULL, compile};
  host = given;
  self->name = "stack machine";
  self->version = "0.1";
  if (!FRIT_PLUGIN_HAS(host, register_writer)) return refuse("it needs interface 1.2");
  return host->register_writer(self, &writer);
}
