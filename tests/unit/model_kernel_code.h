/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small programs for the core from machine code. */
#ifndef IFR_TESTS_MODEL_KERNEL_CODE_H
#define IFR_TESTS_MODEL_KERNEL_CODE_H

#include "model/trace/trace.h"
#include "tests/unit/model_kernel.h"

/* Adds a whole block from code, as a core decodes it. accesses: of the block, in order. Returns its number. */
uint32_t kernel_code(struct kernel *kernel, const char *core, const uint8_t *code, size_t bytes,
                     unsigned instructions, const struct ifr_trace_access *accesses, size_t count);

#endif
