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
 * | -fplugin-arg-interfero-templates             | leave a template (compiletime/template.h)                 |
 * | -fplugin-arg-interfero-recipe=WORDS          | what the template says of its recipe                |
 * | -fplugin-arg-interfero-plan=FILE             | a layout plan (common/plan.h)                       |
 * | INTERFERO_PLAN=FILE in the environment       | the same, read only if no plan option is given      |
 *
 * WORDS are an axis's words as a plan holds them, with commas for spaces: seed=7,rate=10. An axis option changes
 * that axis of the plan, whichever plan it is. Axes of a plan that belong to the relinker or the launcher are
 * passed over in silence; any other mistake is one compiler error. Without any axis the plugin does nothing at
 * all: the object is what the compiler alone makes.
 *
 * The words only=PATTERNS and except=PATTERNS limit an axis to functions and variables by name (common/plan.h):
 * the assembler's, the source's, or C++'s with classes but without parameters (A::b). The attribute
 *
 *     __attribute__((interfero("hot", "-nops"))) int f(void);
 *
 * gives a function or variable words to go by, which patterns see as @WORD (only=@hot), and keeps axes away from
 * it, -AXIS or -all, whatever a plan says.
 *
 * The same axes give the same object, in every folder and under any parallelism: each decision is a hash of the
 * seed, the axis and the function's assembler name (compiletime/decide.h). What was done stands in the section
 * .note.interfero (compiletime/note.h). The plugin runs in the exact GCC it was built for. For code that -flto compiles
 * at link time, give the options at the link too. */
#ifndef IFR_PLUGIN_PLUGIN_H
#define IFR_PLUGIN_PLUGIN_H

#include "compiletime/compiletime.h"

#endif
