/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout that a build asks for: INTERFERO_LAYOUT=PLAN, or the driver's option -finterfero-layout=PLAN; and the
 * prefetches: INTERFERO_PREFETCH=FILE, or -finterfero-prefetch=FILE. */
#ifndef IFR_WRAPPER_REQUESTED_LAYOUT_H
#define IFR_WRAPPER_REQUESTED_LAYOUT_H

#include <stdbool.h>

#define LAYOUT_VARIABLE "INTERFERO_LAYOUT"

/* Whether an argument is one of the driver's two options, which no compiler knows. */
bool is_layout_option(const char *argument);

/* Sets the variables by which compiler and linker learn of the layout: INTERFERO_LAYOUT with an absolute path, for the
 * linker (wrapper/linker.c), and INTERFERO_PLAN for the plugin if the plan has axes of the compiler and the user set no
 * other plan. The last option wins over the variable; an empty value means no layout. A plan that cannot be read is left
 * to the link, which warns. */
void layout_request(int argc, char **argv);

/* The absolute path of the file of prefetches that the plugin is to read, or NULL; the caller frees. The last option wins
 * over the variable, which is unset; an empty value means none. */
char *prefetch_request(int argc, char **argv);

#endif
