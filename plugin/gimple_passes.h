/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GCC's headers for passes over GIMPLE, in an order in which they compile. */
#ifndef IFR_PLUGIN_GIMPLE_PASSES_H
#define IFR_PLUGIN_GIMPLE_PASSES_H

#include "plugin/gcc.h"

#include "tree-ssa-alias.h"
#include "internal-fn.h"
#include "gimple-expr.h"
#include "gimple.h"
#include "ssa.h"
#include "fold-const.h"
#include "gimplify.h"
#include "gimple-iterator.h"
#include "gimplify-me.h"
#include "cfghooks.h"
#include "cfgexpand.h"
#include "tree-cfg.h"
#include "tree-into-ssa.h"
#include "tree-ssa.h"
#include "tree-ssa-loop.h"
#include "tree-ssa-loop-manip.h"
#include "tree-ssa-loop-niter.h"
#include "tree-scalar-evolution.h"
#include "tree-data-ref.h"

#endif
