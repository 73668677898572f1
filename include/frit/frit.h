// All of Frit's public interface.
#pragma once

#include "frit/backend.h"
#include "frit/compile.h"
#include "frit/custom_op.h"
#include "frit/fft_ops.h"
#include "frit/graph.h"
#include "frit/guard.h"
#include "frit/kernel.h"
#include "frit/layer_ops.h"
#include "frit/linalg_ops.h"
#include "frit/losses.h"
#include "frit/ops.h"
#include "frit/plugins.h"
#include "frit/program.h"
#include "frit/random.h"
#include "frit/recurrent_ops.h"
#include "frit/tensor.h"
