/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_RUNTIME_START_H
#define IFR_RUNTIME_START_H

/* Has the calling thread's end noticed. */
void start_thread_watch(void);

#endif
