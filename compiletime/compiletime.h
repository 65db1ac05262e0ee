/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compile-time axes in plain C, without GCC. The plugin finds the sites in a unit of compilation, the wrapper
 * keeps templates and recipes, the harness makes variants from them.
 *
 *     decide.h     decisions at each site, from the seed and names alone
 *     note.h       the record of the decisions in an object
 *     template.h   assembly with open sites, from which variants are assembled
 *     prefetches.h advised prefetches of loads
 *     recipe.h     sources and arguments from which variants are compiled
 *     entries.h    templates that count function entries, or exit at one */
#ifndef IFR_COMPILETIME_H
#define IFR_COMPILETIME_H

#include "compiletime/decide.h"
#include "compiletime/entries.h"
#include "compiletime/note.h"
#include "compiletime/prefetches.h"
#include "compiletime/recipe.h"
#include "compiletime/template.h"

#endif
