/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How qemu-x86_64 is started for a recording. */
#ifndef IFR_MODEL_QEMU_H
#define IFR_MODEL_QEMU_H

#include "common/strings.h"
#include "model/record/record.h"

#define QEMU "qemu-x86_64"

/* Its arguments and its environment, each ready for execve but for the null at the end, which null_terminated adds. The
 * ring is the descriptor ring_fd. */
void qemu_command(const struct ifr_recording *recording, int ring_fd, struct ifr_strings *arguments,
                  struct ifr_strings *environment);

/* The strings with a null behind them; the caller frees the list, and the strings stay whose they are. */
char **null_terminated(const struct ifr_strings *strings);

#endif
