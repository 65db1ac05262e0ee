/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hands file descriptors over to a waiting process, with the byte that releases it. */
#ifndef IFR_HARNESS_HANDOVER_H
#define IFR_HARNESS_HANDOVER_H

#include <stdbool.h>

enum { IFR_HANDOVER_MOST = 16 };

/* Sends one byte and count descriptors (0 … IFR_HANDOVER_MOST) over a socket of AF_UNIX. False with errno. */
bool ifr_handover_send(int socket, const int *fd, unsigned count);
/* Waits for that byte. The descriptors become first, first + 1, … and stay open at exec. False with errno. */
bool ifr_handover_receive(int socket, int first);

#endif
