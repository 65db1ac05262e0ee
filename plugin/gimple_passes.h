/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GCC's headers for passes over GIMPLE, in an order in which they compile. */
#ifndef IFR_PLUGIN_GIMPLE_PASSES_H
#define IFR_PLUGIN_GIMPLE_PASSES_H

#include "plugin/gcc.h"

#include "plugin-version.h"

#include "tree-ssa-alias.h"
#include "internal-fn.h"
#include "gimple-expr.h"
#include "gimple.h"
#include "ssa.h"
#include "fold-const.h"
#include "stor-layout.h"
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

/* Unrolls a loop of which can_unroll_loop_p has found the number of iterations. */
static inline void gcc_unroll_loop(class loop *loop, unsigned factor, class tree_niter_desc *iterations) {
#if GCCPLUGIN_VERSION_MAJOR < 12
	tree_unroll_loop(loop, factor, single_exit(loop), iterations);
#else
	tree_unroll_loop(loop, factor, iterations);
#endif
}

/* The last statement of a block that is code, or NULL. */
static inline gimple *gcc_last_statement(basic_block block) {
	return gsi_stmt(gsi_last_nondebug_bb(block));
}

/* The line of a statement of the current function, counted from the function's, or -1. */
static inline int64_t gcc_line_in_function(location_t location) {
	const expanded_location at = expand_location(location),
							function = expand_location(DECL_SOURCE_LOCATION(current_function_decl));
	const bool same = at.file && function.file && !strcmp(at.file, function.file);
	return location != UNKNOWN_LOCATION && same && at.line >= function.line ? at.line - function.line : -1;
}

/* Why a statement must not be there twice, or NULL. */
static inline const char *gcc_refuse_copy(gimple *statement) {
	if (gasm *assembler = dyn_cast<gasm *>(statement))
		return *gimple_asm_string(assembler) ? "it holds assembler" : NULL;
	if (is_gimple_call(statement) && gimple_call_flags(statement) & ECF_RETURNS_TWICE)
		return "it calls a function that returns twice";
	return NULL;
}

/* A line of a source file; without text where the file is gone. */
static inline char_span gcc_source_line(const char *file, int line) {
#if GCCPLUGIN_VERSION_MAJOR < 14
	return location_get_source_line(file, line);
#else
	return global_dc->get_file_cache().get_source_line(file, line);
#endif
}

#endif
