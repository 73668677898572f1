// The reduction kernels for avx512.
#define FRIT_ISA avx512
#define FRIT_VECTOR_BYTES 64
#include "src/eager/blocks/reduce_blocks.inc"
