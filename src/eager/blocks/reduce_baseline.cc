// The reduction kernels for baseline.
#define FRIT_ISA baseline
#define FRIT_VECTOR_BYTES 16
#include "src/eager/blocks/reduce_blocks.inc"
