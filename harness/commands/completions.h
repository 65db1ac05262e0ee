/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shell completions, made from the tables that parse the options. */
#ifndef IFR_HARNESS_COMPLETIONS_H
#define IFR_HARNESS_COMPLETIONS_H

#include "harness/commands/commands.h"

/* Prints a completion script for bash. */
void print_completions(const struct ifr_command *commands, int count);

#endif
