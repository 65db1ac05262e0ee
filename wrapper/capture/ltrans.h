/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links with -flto: getting at the objects that GCC's lto-wrapper makes in the middle of the link, and what a kit
 * needs to repeat the link with them. wrapper/lto/keep_ltrans.c makes the copies, wrapper/lto/relink_plugin.c repeats. */
#ifndef IFR_WRAPPER_LTRANS_H
#define IFR_WRAPPER_LTRANS_H

#include "wrapper/capture/capture.h"

/* Our program that keeps ltrans objects: beside the folder of linkers, in which GCC itself would look for
 * programs. The caller frees; NULL if it cannot be told. */
char *ltrans_keeper(void);

/* The absolute path of the lto-wrapper that a link's plugin would run; the caller frees. NULL if the link names
 * none, or one that is not there or is keeper itself. */
char *ltrans_wrapper_of(const struct ifr_link *link, const char *cwd, const char *keeper);

/* The arguments (after the linker's name) with which the plugin runs keeper in the lto-wrapper's place. Where its
 * name stands in a response file, they are one response file, folder/arguments. Puts a file folder/untouched
 * there, which keeper removes first of all. Errors: IFR_E_ENVIRONMENT if they cannot be written, or keeper is
 * missing. */
int ltrans_arguments(const struct ifr_link *link, int argc, char **argv, const char *keeper, const char *folder,
                     struct ifr_strings *arguments, struct ifr_error *err);

/* After the link: takes the copies that keeper made in folder into link->ltrans, as
 * folder/OUTPUT.ltransN.ltrans.o, and the names they had into link->ltrans_made. There are none where no file of
 * the link had IR in it. Errors: IFR_E_ENVIRONMENT if keeper was run and could not make its copies. */
int ltrans_collect(struct ifr_link *link, const char *folder, struct ifr_error *err);

/* What makes ld.bfd take the kept objects again, through the plugin at path replay; their paths are below root. */
void ltrans_replay(const struct ifr_link *link, const char *replay, const char *root,
                   struct ifr_strings *arguments);

#endif
