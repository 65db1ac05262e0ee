/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line and the environment of the recorder that is a Valgrind tool. */
#ifndef IFR_MODEL_VALGRIND_COMMAND_H
#define IFR_MODEL_VALGRIND_COMMAND_H

#include "common/strings.h"
#include "model/record/record.h"

/* Stores the tool's arguments and environment. ring_fd: descriptor of the ring. log_fd: of the file that takes Valgrind's
 * own messages. */
void valgrind_command(const struct ifr_recording *recording, int ring_fd, int log_fd,
                      struct ifr_strings *arguments, struct ifr_strings *environment);

/* Reads Valgrind's messages after the program's end. Errors: IFR_E_PROGRAM if it met an instruction that it does not
 * know; IFR_E_ENVIRONMENT if it gave up. */
int valgrind_judge(int log_fd, struct ifr_error *err);

/* Returns why a recorder ended, from its log or its standard error: what it says of a signal, else the first line with
 * text; without marks "==PID==", and empty if there is none. The caller frees it. */
char *valgrind_first_message(int log_fd);

#endif
