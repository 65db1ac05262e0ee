/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compile-time axes in plain C, without GCC: what they decide at each site of a unit of compilation
 * (decide.h), the record of it (note.h), units whose sites are still open (template.h), what compiles a unit again
 * (recipe.h), and the counting of entries (entries.h). Shared by the plugin, which finds the sites, the wrapper,
 * which keeps templates and recipes, and the harness, which makes variants from them. */
#ifndef IFR_COMPILETIME_H
#define IFR_COMPILETIME_H

#include "compiletime/decide.h"
#include "compiletime/entries.h"
#include "compiletime/note.h"
#include "compiletime/recipe.h"
#include "compiletime/template.h"

#endif
