/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time that a running program would have taken on a machine of its own: its time since the start, less the time that
 * it waited for a processor that others had. Private to this room. */
#ifndef IFR_HARNESS_LIMIT_QUIET_TIME_H
#define IFR_HARNESS_LIMIT_QUIET_TIME_H

#include <stdint.h>
#include <sys/types.h>

/* Reads the second number of a line of /proc/PID/schedstat; 0 for other text. Ref: Linux,
 * Documentation/scheduler/sched-stats.rst, "/proc/<pid>/schedstat". */
int64_t quiet_time_parse_delay(const char *line);
/* elapsed_ns: since the start of the process. All of it where the kernel does not tell. */
int64_t quiet_time_of(pid_t process, int64_t elapsed_ns);

/* The budget of a second counting run, where programs that were limited by the first one took took_ns instead of
 * budget_ns: counters make a program slower than it is without them. 0 where the time is near enough. */
int64_t quiet_time_correct(int64_t budget_ns, int64_t took_ns);

#endif
