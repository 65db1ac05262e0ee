/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_RUNTIME_START_H
#define IFR_RUNTIME_START_H

/* Arranges that threads_end is called when the calling thread ends. */
void start_thread_watch(void);

#endif
