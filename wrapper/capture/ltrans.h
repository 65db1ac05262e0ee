/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links with -flto. In the middle of such a link, GCC's linker plugin starts the lto-wrapper, which compiles the
 * program's intermediate representation into temporary "ltrans" objects.
 *
 *     keep-ltrans        wrapper/lto/keep_ltrans.c runs in place of the lto-wrapper and copies these objects
 *     relink_plugin.so   wrapper/lto/relink_plugin.c hands the copies to ld.bfd when a kit repeats the link */
#ifndef IFR_WRAPPER_LTRANS_H
#define IFR_WRAPPER_LTRANS_H

#include "wrapper/capture/capture.h"

/* The path of keep-ltrans, below called keeper; the caller frees. NULL if it cannot be told. keep-ltrans lies beside
 * the folder of linkers, not in it, where GCC itself would find it. */
char *ltrans_keeper(void);

/* The absolute path of the lto-wrapper that a link's plugin would run; the caller frees. NULL if the link names no
 * lto-wrapper, or one that is missing or is keeper itself. */
char *ltrans_wrapper_of(const struct ifr_link *link, const char *cwd, const char *keeper);

/* Makes the arguments (after the linker's name) with which the plugin runs keeper in place of the lto-wrapper. If a
 * response file names the lto-wrapper, the result is one response file, folder/arguments. Creates an empty file
 * folder/untouched, which keeper removes before it copies. Errors: IFR_E_ENVIRONMENT if a file cannot be written, or
 * keeper is missing. */
int ltrans_arguments(const struct ifr_link *link, int argc, char **argv, const char *keeper, const char *folder,
                     struct ifr_strings *arguments, struct ifr_error *err);

/* After the link: renames keeper's copies to folder/OUTPUT.ltransN.ltrans.o, appends these paths to link->ltrans and
 * the objects' temporary names to link->ltrans_made. A link without IR has no copies. Errors: IFR_E_ENVIRONMENT if
 * keeper ran and could not make its copies. */
int ltrans_collect(struct ifr_link *link, const char *folder, struct ifr_error *err);

/* Appends the arguments with which ld.bfd reads the kept objects through our plugin (the path, or a word that stands
 * for it). The objects' paths are below root. */
void ltrans_relink_arguments(const struct ifr_link *link, const char *plugin, const char *root,
                             struct ifr_strings *arguments);

#endif
