/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose iterations run in several threads. */
#ifndef IFR_COMMON_PARALLEL_H
#define IFR_COMMON_PARALLEL_H

#include <stddef.h>

#include "common/error.h"

enum { IFR_PARALLEL_MOST = 64 };

/* Carries out task number index. thread numbers the threads from 0: no two tasks at one time have the same. */
typedef int (*ifr_parallel_task)(size_t index, size_t thread, void *data, struct ifr_error *err);

/* Carries out the tasks 0 to count - 1 in up to so many threads (at most IFR_PARALLEL_MOST), of which the calling
 * thread is number 0. Tasks are taken in order; a thread that cannot start leaves its tasks to the others. After a
 * failure no further task is taken, and those that run come to their end. Returns the result and the error of the
 * failed task with the lowest number: every task below it has run, so timing does not change which that is. An
 * interrupted loop is one whose task fails. */
int ifr_parallel_each(size_t count, size_t threads, ifr_parallel_task task, void *data, struct ifr_error *err);

/* The processors that this process may use: 1 to IFR_PARALLEL_MOST. */
size_t ifr_parallel_processors(void);

#endif
