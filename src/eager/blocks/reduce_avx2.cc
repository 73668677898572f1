// The reduction kernels for avx2.
#define FRIT_ISA avx2
#define FRIT_VECTOR_BYTES 32
#include "src/eager/blocks/reduce_blocks.inc"
