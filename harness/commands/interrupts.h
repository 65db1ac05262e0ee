/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ctrl-C and its like end a command in order: what is half done is removed, what is recorded stays. */
#ifndef IFR_HARNESS_INTERRUPTS_H
#define IFR_HARNESS_INTERRUPTS_H

/* The exit status of a command that was interrupted. */
enum { STOPPED_BY_INTERRUPT = 130 };

/* From now on SIGINT, SIGTERM and SIGHUP make ifr_launch_interrupted() true instead of ending the process. */
void catch_interrupts(void);

#endif
