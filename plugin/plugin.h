/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The GCC plugin interfero.so: perturbs code while it is compiled.
 *
 *     gcc -fplugin=.../interfero.so -fplugin-arg-interfero-nops=seed=7,rate=10 -c file.c
 *
 * | option                                       | meaning                                             |
 * |----------------------------------------------|-----------------------------------------------------|
 * | -fplugin-arg-interfero-unit-order=WORDS      | the axis unit-order: order of a unit's functions    |
 * | -fplugin-arg-interfero-nops=WORDS            | the axis nops: nops between instructions            |
 * | -fplugin-arg-interfero-align=WORDS           | the axis align: alignment of functions and loops    |
 * | -fplugin-arg-interfero-frames=WORDS          | the axis frames: bytes in stack frames              |
 * | -fplugin-arg-interfero-globals=WORDS         | the axis globals: order and alignment of variables  |
 * | -fplugin-arg-interfero-alias-check=WORDS     | the axis alias-check: loops in two versions         |
 * | -fplugin-arg-interfero-split-loops=WORDS     | the axis split-loops: loops in successive parts     |
 * | -fplugin-arg-interfero-duplicate-joins=WORDS | the axis duplicate-joins: joins copied by path      |
 * | -fplugin-arg-interfero-templates             | write a template (compiletime/template.h)           |
 * | -fplugin-arg-interfero-recipe=TEXT           | the text of the template's mark "recipe"            |
 * | -fplugin-arg-interfero-prefetch=FILE         | advised prefetches (compiletime/prefetches.h)       |
 * | -fplugin-arg-interfero-plan=FILE             | a layout plan (common/plan.h)                       |
 * | INTERFERO_PLAN=FILE in the environment       | a layout plan, ignored if the option plan is given  |
 * | INTERFERO_PREFETCH=FILE in the environment   | prefetches, ignored if the option is given          |
 *
 * WORDS are the words of an axis in a plan, with commas for spaces: seed=7,rate=10. An axis option changes that
 * axis of the plan. Axes of the relinker and the launcher in a plan are ignored; any other mistake is one compiler
 * error. Without an axis or template the object is the one that the plain compiler makes.
 *
 * The words only=PATTERNS and except=PATTERNS limit an axis to functions and variables by name (common/plan.h):
 * the assembler name, the name in the source, or C++'s qualified name without parameters (A::b). The attribute
 *
 *     __attribute__((interfero("hot", "-nops"))) int f(void);
 *
 * attaches words to a function or variable, which patterns match as @WORD (only=@hot). Its words -AXIS and -all keep
 * axes away, whatever a plan says.
 *
 * Equal axes give equal objects, in every folder and under any parallelism: each decision is a hash of the seed, the
 * axis and the assembler name (compiletime/decide.h). The section .note.interfero records them (compiletime/note.h).
 * The plugin runs only in the build of GCC that it was compiled for. For code that -flto compiles at link time, give
 * the options at the link, too. */
#ifndef IFR_PLUGIN_PLUGIN_H
#define IFR_PLUGIN_PLUGIN_H

#include "compiletime/compiletime.h"

#endif
