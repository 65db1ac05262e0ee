/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line and the environment of qemu-x86_64 for a recording. */
#ifndef IFR_MODEL_QEMU_H
#define IFR_MODEL_QEMU_H

#include "common/strings.h"
#include "model/record/record.h"

#define QEMU "qemu-x86_64"

/* Stores qemu's arguments and environment, without the final null that null_terminated adds. ring_fd: descriptor
 * of the ring. */
void qemu_command(const struct ifr_recording *recording, int ring_fd, struct ifr_strings *arguments,
                  struct ifr_strings *environment);

/* Returns the strings as a null-terminated list. The caller frees the list; the strings stay with their owner. */
char **null_terminated(const struct ifr_strings *strings);

#endif
