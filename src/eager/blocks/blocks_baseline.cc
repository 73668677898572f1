// The block kernels for baseline x86-64.
#define FRIT_BLOCK_ISA Isa::kBaseline
#define FRIT_BLOCK_NAMESPACE baseline
#include "src/eager/blocks/block_table.h"
