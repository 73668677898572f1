// Plug-ins: shared libraries that extend Frit at run time, over a C interface that stays as it is.
//
//   #include "frit/plugin.h"
//
//   static int compile(void* context, const frit_graph* graph, frit_compiled* compiled) { ... }
//
//   FRIT_PLUGIN_ABI;
//   FRIT_PLUGIN_EXPORT int frit_plugin_init(const frit_host* host, frit_plugin* self) {
//     frit_backend backend = {sizeof backend, "toy", FRIT_STAGE_CAPTURE, 0, compile, 0};
//     self->name = "toy";
//     return host->register_backend(self, &backend);
//   }
//
// FRIT_PLUGINS=toy.so:other.so loads it into any program, frit::load_plugin("toy.so") into one. It
// stays until the process ends. This file is C99 and needs nothing else of Frit.
//
// Versions. A minor version adds members to the end of structs that begin with their size in bytes.
// Whoever receives such a struct asks FRIT_PLUGIN_HAS before it uses a member that the first minor
// version did not have. So a plug-in runs with older and with newer Frits of its major version.
// Structs without a size stay as they are.
//
// A plug-in's functions give FRIT_PLUGIN_OK, or anything else after they have said why by
// set_error. All but init may be called by several threads at once. Where one throws a C++
// exception, that is an error like another.
#ifndef FRIT_PLUGIN_H_
#define FRIT_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#define FRIT_PLUGIN_MAJOR 1
#define FRIT_PLUGIN_MINOR 1

#define FRIT_PLUGIN_OK 0
#define FRIT_PLUGIN_FAILED 1

// Whether the struct at `pointer` goes as far as `member`.
#define FRIT_PLUGIN_HAS(pointer, member) \
  ((pointer)->size >= (size_t)((const char*)(&(pointer)->member + 1) - (const char*)(pointer)))

#ifdef __cplusplus
#define FRIT_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define FRIT_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

// Once in a plug-in: the version that it was built against, which is looked at before any of its
// functions is called.
#define FRIT_PLUGIN_ABI                                \
  FRIT_PLUGIN_EXPORT const int32_t frit_plugin_abi[2]; \
  const int32_t frit_plugin_abi[2] = {FRIT_PLUGIN_MAJOR, FRIT_PLUGIN_MINOR}

#ifdef __cplusplus
extern "C" {
#endif

// Types of elements. Text forms call them f64, f32, ...
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

// A tensor's memory, or a number: a tensor of rank 0 and type f64, i64 or bool.
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

// What an input of a graph must be or an output is.
typedef struct frit_type {
  const int64_t* sizes;
  const int64_t* strides;
  int32_t dtype;
  int32_t rank;
  int32_t kind;      // FRIT_NUMBER: an argument of the graph that may differ from run to run
  int32_t reserved;  // 0
} frit_type;

// A graph to compile; it lives until compile returns. docs/text_forms.md tells how to read `text`:
//   graph %trace(%x0: f32[8]) -> f32[8] {
//     %0: f32[8] = relu %x0
//     return %0
//   }
typedef struct frit_graph {
  size_t size;
  const char* text;
  const frit_type* inputs;
  const frit_type* outputs;
  int32_t num_inputs;
  int32_t num_outputs;
} frit_graph;

// A graph that was compiled: filled by compile, which finds `size` set and the others null.
typedef struct frit_compiled {
  size_t size;
  void* state;  // the plug-in's own
  // `inputs` and `outputs` as the graph has them. It writes every element of the outputs, whose
  // memory is new and shared with nothing. Where it fails, the graph's ops run eagerly.
  int (*run)(void* state, const frit_tensor* inputs, frit_tensor* outputs);
  void (*destroy)(void* state);  // may be null
} frit_compiled;

enum {
  FRIT_STAGE_CAPTURE,    // graphs of the program's own ops: linear, relu
  FRIT_STAGE_NORMALIZED  // graphs of core ops: permute, addmm, relu
};

// Graphs go to the backend by frit::compile(fn, {.backend = name}) or set_default_backend(name).
typedef struct frit_backend {
  size_t size;
  const char* name;
  int32_t stage;
  int32_t reserved;  // 0
  void* context;     // handed to compile
  // Where it does not give FRIT_PLUGIN_OK it refuses the graph, whose ops then run eagerly.
  int (*compile)(void* context, const frit_graph* graph, frit_compiled* compiled);
  // Since 1.1. Ops that normalizing leaves whole, or null: names, then a null.
  const char* const* keep;
} frit_backend;

// What a plug-in says of itself, in strings that stay: "toy", "0.3". Null is fine.
typedef struct frit_plugin {
  size_t size;
  const char* name;
  const char* version;
} frit_plugin;

// What Frit does for plug-ins. It lives as long as the process.
typedef struct frit_host {
  size_t size;
  int32_t major;  // of the interface that this Frit has
  int32_t minor;
  // Says why the call of the plug-in that is running on this thread fails or refuses.
  void (*set_error)(const char* text);
  // Only while init runs; what it registered counts once it has given FRIT_PLUGIN_OK. Copies what
  // it is given, `context` aside. Replaces a backend of the same name.
  int (*register_backend)(frit_plugin* self, const frit_backend* backend);
  // Since 1.1. A line on stderr where FRIT_LOG names `plugin`, from any thread.
  void (*log)(const char* text);
} frit_host;

// What a plug-in defines. Called once, unless it does not give FRIT_PLUGIN_OK: then nothing of it
// is used, and it is called again when somebody loads it again.
int frit_plugin_init(const frit_host* host, frit_plugin* self);

#ifdef __cplusplus
}
#endif

#endif  // FRIT_PLUGIN_H_
