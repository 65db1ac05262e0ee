/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions of GCC: the plugin has a file for each that it was built for, in libexec/interfero/gcc-VERSION. */
#ifndef IFR_COMMON_GCC_H
#define IFR_COMMON_GCC_H

/* The length of a driver's name without its version: 3 for "gcc-12" and for "gcc". */
int ifr_gcc_name_length(const char *name);

/* The major version of the GCC driver at a path: by the name of the file that it leads to ("gcc-12"), or by its own,
 * else as the driver answers; 0 if it does not tell. */
int ifr_gcc_version(const char *path);

/* The path of the plugin for a version, which need not exist; the caller frees. */
char *ifr_gcc_plugin_path(int version);

#endif
