/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shell completions, made from the tables that parse the options. */
#ifndef IFR_HARNESS_COMPLETIONS_H
#define IFR_HARNESS_COMPLETIONS_H

#include <stdbool.h>

#include "harness/commands/commands.h"

/* Prints a completion script for a shell: bash, zsh or fish. Returns false for any other. */
bool print_completions(const char *shell, const struct ifr_command *commands, int count);

#endif
