// frit/plugin.h as it was in version 1.1, for a plug-in that is built against it. Stays as it is.
#ifndef FRIT_PLUGIN_H_
#define FRIT_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#define FRIT_PLUGIN_MAJOR 1
#define FRIT_PLUGIN_MINOR 1

#define FRIT_PLUGIN_OK 0
#define FRIT_PLUGIN_FAILED 1

#define FRIT_PLUGIN_HAS(pointer, member) \
  ((pointer)->size >= (size_t)((const char*)(&(pointer)->member + 1) - (const char*)(pointer)))

#ifdef __cplusplus
#define FRIT_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define FRIT_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

#define FRIT_PLUGIN_ABI                                \
  FRIT_PLUGIN_EXPORT const int32_t frit_plugin_abi[2]; \
  const int32_t frit_plugin_abi[2] = {FRIT_PLUGIN_MAJOR, FRIT_PLUGIN_MINOR}

#ifdef __cplusplus
extern "C" {
#endif

enum {
  FRIT_F64,
  FRIT_F32,
  FRIT_BF16,
  FRIT_F16,
  FRIT_I64,
  FRIT_I32,
  FRIT_I16,
  FRIT_I8,
  FRIT_U8,
  FRIT_BOOL
};

enum { FRIT_DEVICE_CPU };

typedef struct frit_tensor {
  void* data;              // the first element; of an input: only to be read
  const int64_t* sizes;    // `rank` of each
  const int64_t* strides;  // in elements
  int32_t dtype;
  int32_t rank;
  int32_t device;  // FRIT_DEVICE_CPU
  int32_t device_index;
} frit_tensor;

enum { FRIT_TENSOR, FRIT_NUMBER };

typedef struct frit_type {
  const int64_t* sizes;
  const int64_t* strides;
  int32_t dtype;
  int32_t rank;
  int32_t kind;      // FRIT_NUMBER: an argument of the graph that may differ from run to run
  int32_t reserved;  // 0
} frit_type;

typedef struct frit_graph {
  size_t size;
  const char* text;
  const frit_type* inputs;
  const frit_type* outputs;
  int32_t num_inputs;
  int32_t num_outputs;
} frit_graph;

typedef struct frit_compiled {
  size_t size;
  void* state;  // the plug-in's own
  int (*run)(void* state, const frit_tensor* inputs, frit_tensor* outputs);
  void (*destroy)(void* state);  // may be null
} frit_compiled;

enum {
  FRIT_STAGE_CAPTURE,    // graphs of the program's own ops: linear, relu
  FRIT_STAGE_NORMALIZED  // graphs of core ops: permute, addmm, relu
};

typedef struct frit_backend {
  size_t size;
  const char* name;
  int32_t stage;
  int32_t reserved;  // 0
  void* context;     // handed to compile
  int (*compile)(void* context, const frit_graph* graph, frit_compiled* compiled);
  const char* const* keep;
} frit_backend;

typedef struct frit_plugin {
  size_t size;
  const char* name;
  const char* version;
} frit_plugin;

typedef struct frit_host {
  size_t size;
  int32_t major;  // of the interface that this Frit has
  int32_t minor;
  void (*set_error)(const char* text);
  int (*register_backend)(frit_plugin* self, const frit_backend* backend);
  void (*log)(const char* text);
} frit_host;

int frit_plugin_init(const frit_host* host, frit_plugin* self);

#ifdef __cplusplus
}
#endif

#endif  // FRIT_PLUGIN_H_
