// Plug-ins: shared libraries that extend Frit at run time, over a C interface that stays as it is.
//
//   #include "frit/plugin.h"
//
//   static int compile(void* context, const frit_graph* graph, frit_compiled* compiled) { ... }
//
//   FRIT_PLUGIN_ABI;
//   FRIT_PLUGIN_EXPORT int frit_plugin_init(const frit_host* host, frit_plugin* self) {
//     frit_backend backend = {sizeof backend, "toy", FRIT_STAGE_CAPTURE, 0, NULL, compile, NULL,
//                             NULL};
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
// A plug-in brings backends, which take graphs, writers, which take kernels, ops, and devices.
// Its functions give FRIT_PLUGIN_OK, or anything else after they have said why by set_error. All
// but init may be called by several threads at once. Where one throws a C++ exception, that is an
// error like another.
#ifndef FRIT_PLUGIN_H_
#define FRIT_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#define FRIT_PLUGIN_MAJOR 1
#define FRIT_PLUGIN_MINOR 2

#define FRIT_PLUGIN_OK 0
#define FRIT_PLUGIN_FAILED 1
#define FRIT_PLUGIN_DECLINED 2  // of a kernel of a device: not this call

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

// Others have numbers of this run of the program: graphs tell devices by their names.
enum { FRIT_DEVICE_CPU };

// A tensor's memory, or a number: a tensor of rank 0 and type f64, i64 or bool.
typedef struct frit_tensor {
  void* data;              // the first element; of an input or operand: only to be read
  const int64_t* sizes;    // `rank` of each
  const int64_t* strides;  // in elements
  int32_t dtype;
  int32_t rank;
  int32_t device;        // FRIT_DEVICE_CPU, or another: then `data` is the device's address
  int32_t device_index;  // which of several
} frit_tensor;

// FRIT_ABSENT, since 1.2: an operand that the caller of an op left out.
enum { FRIT_TENSOR, FRIT_NUMBER, FRIT_ABSENT };

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
  // Since 1.2. Types of devices whose tensors it takes: names, then a null. Null: the CPU's alone.
  // Graphs with others are refused without asking it. The text says where values lie.
  const char* const* devices;
} frit_backend;

// Kinds of attributes: what is part of a call's identity.
enum {
  FRIT_ATTR_INT,
  FRIT_ATTR_INTS,
  FRIT_ATTR_BOOL,
  FRIT_ATTR_DTYPE,  // FRIT_F32, ...
  FRIT_ATTR_TEXT
};

typedef struct frit_attribute {
  const char* name;  // "dim"
  const int64_t*
      values;        // of an int[] as many as it has, of an int? or bool? one or none, else one
  const char* text;  // of a text, else null
  int32_t num_values;
  int32_t kind;
} frit_attribute;

// Since 1.2. A call of an op; it lives until the function that gets it returns.
typedef struct frit_call {
  size_t size;
  const char* op;                    // "toy::scale", "add"
  const frit_tensor* operands;       // tensors and numbers, in the schema's order
  const int32_t* kinds;              // of the operands: FRIT_TENSOR, FRIT_NUMBER or FRIT_ABSENT
  const int32_t* arguments;          // of the operands: which of the schema's arguments it is
  const frit_attribute* attributes;  // in the schema's order; of Frit's ops by name
  const frit_tensor* results;  // new tensors, to be filled; their memory is shared with nothing
  int32_t num_operands;
  int32_t num_attributes;
  int32_t num_results;
  int32_t reserved;  // 0
} frit_call;

// The list that a fake function adds its results' types to, by add_type.
typedef struct frit_types frit_types;

// Operands of f16 and bf16, or of these and f32, reach `run` as copies of that type; its results
// and what it writes to are rounded once, to the types that `fake` says and that the operands have.
enum { FRIT_AUTOCAST_NONE, FRIT_AUTOCAST_F32, FRIT_AUTOCAST_F64 };

// Since 1.2. An op of the plug-in's own: one node in graphs, called by its name.
// docs/extending.md tells what schemas may hold, and what holds of an op's functions.
typedef struct frit_op {
  size_t size;
  const char* schema;  // "toy::scale(Tensor x, float by=1) -> Tensor"
  void* context;       // handed to the functions
  // Fills the results, and writes to the operands that the schema declares as Tensor(a!).
  int (*run)(void* context, const frit_call* call);
  // Says of what types the results are. Of operands it sees types: data is null; there are no
  // results. Null where the schema has no new results.
  int (*fake)(void* context, const frit_call* call, frit_types* types);
  int32_t autocast;
  int32_t reserved;  // 0
} frit_op;

// Since 1.2. A type of devices. Functions get `context` and which of several it is about.
typedef struct frit_device {
  size_t size;
  const char* name;  // lower case letters, digits and underscores
  void* context;
  int32_t count;     // of devices: npu:0, npu:1
  int32_t reserved;  // 0
  // Memory, aligned to 64 bytes, of at least one byte. Null: out of memory.
  void* (*allocate)(void* context, int32_t index, int64_t bytes);
  void (*deallocate)(void* context, int32_t index, void* memory, int64_t bytes);
  // Copies from and to the host. Done when they return, after what was queued before.
  int (*copy_in)(void* context, int32_t index, void* to, const void* host, int64_t bytes);
  int (*copy_out)(void* context, int32_t index, void* host, const void* from, int64_t bytes);
  // The rest may be null. Within one device; else by way of the host.
  int (*copy)(void* context, int32_t index, void* to, const void* from, int64_t bytes);
  int (*synchronize)(void* context, int32_t index);
  // Queues of work, all three or none.
  void* (*new_stream)(void* context, int32_t index);
  void (*delete_stream)(void* context, int32_t index, void* stream);
  int (*synchronize_stream)(void* context, int32_t index, void* stream);
  // Told each seed, for a generator of the device's own.
  int (*manual_seed)(void* context, int32_t index, uint64_t seed);
} frit_device;

// Since 1.2. What runs an op's calls on a device, "add" or "softmax", or a plug-in's own.
typedef struct frit_device_kernel {
  size_t size;
  const char* device;
  const char* op;
  void* context;
  // Fills the results; `store`, which has none, writes to its first operand. Where it gives
  // FRIT_PLUGIN_DECLINED the call runs as if there were no kernel.
  int (*run)(void* context, const frit_call* call);
} frit_device_kernel;

enum { FRIT_PARAM_BUFFER, FRIT_PARAM_SCALAR, FRIT_PARAM_SIZE };

// How a buffer moves with a loop.
enum { FRIT_ACCESS_BROADCAST, FRIT_ACCESS_UNIT, FRIT_ACCESS_STRIDED, FRIT_ACCESS_REVERSED };

typedef struct frit_param {
  const char* name;       // "out0"
  const int32_t* access;  // of a buffer, one per loop dimension of the kernel
  int32_t kind;
  int32_t dtype;    // of a buffer's elements or a scalar; i64 of a size
  int32_t word;     // where in a call's `args` it begins
  int32_t written;  // 1: a buffer that the kernel stores to
} frit_param;

// Since 1.2. A kernel to compile; it lives until compile returns. docs/text_forms.md tells how to
// read `text`:
//   kernel %k0(%a0: *f32[1], %out0: *f32[1], %n0: i64) {
//     loop %i0 = 0 to %n0 {
//       %0: f32 = load %a0[%i0]
//       %1: f32 = neg %0
//       store %out0[%i0], %1
//     }
//   }
typedef struct frit_kernel {
  size_t size;
  const char* text;
  const char* one_line;  // "y[i] = neg(x[i])"; empty where it is not one loop of pointwise ops
  const frit_param* params;
  int32_t num_params;
  int32_t rank;       // number of loop dimensions
  int32_t num_words;  // of a call's `args`
  int32_t reserved;   // 0
} frit_kernel;

// Since 1.2. A kernel that was compiled: filled by compile, which finds `size` set and the others
// null.
typedef struct frit_compiled_kernel {
  size_t size;
  void* state;  // the plug-in's own
  // Runs the outermost loop from `begin` to `end`. `args` is one word a piece, in the order of the
  // parameters: a buffer is its address followed by one stride in elements per loop dimension; a
  // scalar is its bits, zero-extended; a size is its value. Where it fails, the graph's ops run
  // eagerly. Several threads may run parts of one kernel at once.
  int (*run)(void* state, const uint64_t* args, int64_t begin, int64_t end);
  void (*destroy)(void* state);  // may be null
  const char* listing;           // source or disassembly for people, copied; may be null
} frit_compiled_kernel;

// Since 1.2. What makes code of kernels. The writer that was registered last is asked first; what
// it refuses goes to Frit's.
typedef struct frit_writer {
  size_t size;
  const char* device;  // "cpu", or one that is registered
  const char* name;
  void* context;  // handed to compile
  // Where it does not give FRIT_PLUGIN_OK it refuses the kernel.
  int (*compile)(void* context, const frit_kernel* kernel, frit_compiled_kernel* compiled);
} frit_writer;

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
  // Since 1.2. As register_backend. Registering an op again by the same schema replaces it.
  int (*register_op)(frit_plugin* self, const frit_op* op);
  int (*register_writer)(frit_plugin* self, const frit_writer* writer);
  // Since 1.2. Only in a fake function: the type of the next result. Strides may be null, which
  // means row-major; results have no gaps.
  int (*add_type)(frit_types* types, const frit_type* type);
  // Since 1.2. As register_backend. Devices stay; a kernel replaces an earlier one.
  int (*register_device)(frit_plugin* self, const frit_device* device);
  int (*register_kernel)(frit_plugin* self, const frit_device_kernel* kernel);
} frit_host;

// What a plug-in defines. Called once, unless it does not give FRIT_PLUGIN_OK: then nothing of it
// is used, and it is called again when somebody loads it again.
int frit_plugin_init(const frit_host* host, frit_plugin* self);

#ifdef __cplusplus
}
#endif

#endif  // FRIT_PLUGIN_H_
