/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compile-time axes in plain C, without GCC: what they decide at each site of a unit of compilation
 * (decide.h), the record of it (note.h), units whose sites are still open (template.h), what compiles a unit again
 * (recipe.h), and the counting of entries (entries.h). Shared by the plugin, which finds the sites, the wrapper,
 * which keeps templates and recipes, and the harness, which makes variants from them. */
#ifndef IFR_SITES_SITES_H
#define IFR_SITES_SITES_H

#include "sites/decide.h"
#include "sites/entries.h"
#include "sites/note.h"
#include "sites/recipe.h"
#include "sites/template.h"

#endif
