/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this kernel puts into every process, for layouts that are to be those of measured runs. */
#ifndef IFR_HARNESS_KERNEL_H
#define IFR_HARNESS_KERNEL_H

#include "common/buffer.h"

/* Appends lines for a trace's text: "auxiliary_bytes N", the length of the auxiliary vector with its end, and
 * "kernel_mapped_bytes N", what the kernel maps below the loader. Nothing that cannot be found out: layouts then
 * take what Linux 6.1 does. */
void ifr_kernel_describe(struct ifr_buffer *text);

#endif
