// The block kernels for AVX2 and FMA.
#define FRIT_BLOCK_ISA Isa::kAvx2
#define FRIT_BLOCK_NAMESPACE avx2
#include "src/eager/blocks/block_table.h"
