// A plug-in in C that says what it sees: its backend, `plain`, takes a graph of one tensor and one
// number, and logs the text that it was handed.
#include <string.h>

#include "frit/plugin.h"

static const frit_host* host;
static char seen[4096];

static int run(void* state, const frit_tensor* inputs, frit_tensor* outputs) {
  const double factor = *(const double*)inputs[1].data;
  const float* x = (const float*)inputs[0].data;
  float* y = (float*)outputs[0].data;
  (void)state;
  for (int64_t i = 0; i < outputs[0].sizes[0]; ++i)
    y[i * outputs[0].strides[0]] = (float)(x[i * inputs[0].strides[0]] * factor);
  return FRIT_PLUGIN_OK;
}

static int refuse(const char* why) {
  host->set_error(why);
  return FRIT_PLUGIN_FAILED;
}

static int compile(void* context, const frit_graph* graph, frit_compiled* compiled) {
  strncpy((char*)context, graph->text, sizeof seen - 1);
  if (graph->num_inputs != 2 || graph->num_outputs != 1)
    return refuse("not one tensor and a number");
  if (graph->inputs[0].kind != FRIT_TENSOR || graph->inputs[0].rank != 1)
    return refuse("not a row");
  if (graph->inputs[1].kind != FRIT_NUMBER || graph->inputs[1].dtype != FRIT_F64)
    return refuse("not a number");
  if (graph->outputs[0].dtype != FRIT_F32) return refuse("not f32");
  compiled->run = run;
  if (FRIT_PLUGIN_HAS(host, log)) host->log(seen);
  return FRIT_PLUGIN_OK;
}

FRIT_PLUGIN_ABI;

int frit_plugin_init(const frit_host* given, frit_plugin* self) {
  const frit_backend backend = {sizeof backend, "plain", FRIT_STAGE_CAPTURE, 0, seen, compile,
                                NULL,           NULL};
  host = given;
  self->name = "plain";
  self->version = "2.3";
  return host->register_backend(self, &backend);
}
