/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGINT, SIGTERM and SIGHUP end a command in order: unfinished files are removed, recorded runs stay. */
#ifndef IFR_HARNESS_INTERRUPTS_H
#define IFR_HARNESS_INTERRUPTS_H

/* The exit status of a command that was interrupted. */
enum { STOPPED_BY_INTERRUPT = 130 };

/* From now on SIGINT, SIGTERM and SIGHUP make ifr_launch_interrupted() true instead of ending the process. */
void catch_interrupts(void);

#endif
