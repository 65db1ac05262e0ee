/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory that this machine's kernel adds to every process, so that layouts match measured runs. */
#ifndef IFR_HARNESS_KERNEL_H
#define IFR_HARNESS_KERNEL_H

#include "common/buffer.h"

/* Appends lines to the text of a trace:
 *
 *     auxiliary_bytes N       length of the auxiliary vector with its end mark
 *     kernel_mapped_bytes N   size of [vdso] and [vvar*], which the kernel maps below the loader
 *
 * Leaves out a line whose value cannot be read; layouts then assume Linux 6.1. */
void ifr_kernel_describe(struct ifr_buffer *text);

#endif
