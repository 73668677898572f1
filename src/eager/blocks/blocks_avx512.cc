// The block kernels for AVX-512.
#define FRIT_BLOCK_ISA Isa::kAvx512
#define FRIT_BLOCK_NAMESPACE avx512
#include "src/eager/blocks/block_table.h"
