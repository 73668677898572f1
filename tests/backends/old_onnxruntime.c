// An onnxruntime that is too old: no table of the version that is asked for.
#include <stdint.h>

struct base {
  const void* (*get_api)(uint32_t version);
  const char* (*get_version)(void);
};

static const void* get_api(uint32_t version) {
  (void)version;
  return 0;
}
static const char* get_version(void) { return "1.12.1"; }

static const struct base kBase = {get_api, get_version};

const struct base* OrtGetApiBase(void);
const struct base* OrtGetApiBase(void) { return &kBase; }
