/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors handed over to a process that waits: with the byte that releases it. */
#ifndef IFR_HARNESS_HANDOVER_H
#define IFR_HARNESS_HANDOVER_H

#include <stdbool.h>

enum { IFR_HANDOVER_MOST = 16 };

/* Sends one byte over a socket of AF_UNIX, with count descriptors, 0 … IFR_HANDOVER_MOST. */
bool ifr_handover_send(int socket, const int *fd, unsigned count);
/* Waits for it; the descriptors become first, first + 1, …, and stay open at exec. False with errno. */
bool ifr_handover_receive(int socket, int first);

#endif
