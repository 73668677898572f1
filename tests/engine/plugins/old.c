// A plug-in that was built against an older version of the interface, which OLD_HEADER is.
#include OLD_HEADER

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

static int run(void* state, const frit_tensor* inputs, frit_tensor* outputs) {
  const float* x = (const float*)inputs[0].data;
  float* y = (float*)outputs[0].data;
  (void)state;
  for (int64_t i = 0; i < inputs[0].sizes[0]; ++i) y[i] = x[i] * 2 + 1;
  return FRIT_PLUGIN_OK;
}

static int compile(void* context, const frit_graph* graph, frit_compiled* compiled) {
  (void)context;
  (void)graph;
  compiled->run = run;
  return FRIT_PLUGIN_OK;
}

FRIT_PLUGIN_ABI;

int frit_plugin_init(const frit_host* host, frit_plugin* self) {
  // What lies behind it in memory is none of Frit's business.
  struct {
    frit_backend backend;
    int64_t behind[8];
  } given = {{sizeof(frit_backend), TEXT(NAME), FRIT_STAGE_NORMALIZED, 0, NULL, compile},
             {-1, -1, -1, -1, -1, -1, -1, -1}};
  self->name = TEXT(NAME);
  return host->register_backend(self, &given.backend);
}
