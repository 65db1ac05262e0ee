/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts of a shared library, measured in a program that uses it. LD_LIBRARY_PATH leads the loader to the variant,
 * and keeps the order of the program's libraries; where it does not reach the library, LD_PRELOAD does. A library that
 * the program opens while it runs, or is linked with by a path, is reached by an auditor of the loader (LD_AUDIT). */
#ifndef IFR_HARNESS_LIBRARY_H
#define IFR_HARNESS_LIBRARY_H

#include <stdbool.h>

#include "common/error.h"
#include "common/strings.h"

/* The way in which a program loads the variant. */
enum ifr_library_way { IFR_LIBRARY_BY_PATH, IFR_LIBRARY_BY_PRELOAD, IFR_LIBRARY_BY_AUDIT };
struct ifr_library {
	char *soname; /* the name by which the program loads it */
	char *file;   /* the name of its file */
	enum ifr_library_way way;
};

/* The variable that leads the loader: "LD_LIBRARY_PATH", "LD_PRELOAD" or "LD_AUDIT". */
const char *ifr_library_variable(const struct ifr_library *library);
/* With LD_AUDIT, the auditor makes the file that this variable names as soon as the program loads the library. */
#define IFR_LIBRARY_SEEN "INTERFERO_LIBRARY_SEEN"

/* Reads the soname of the library in file, and tries LD_LIBRARY_PATH, then LD_PRELOAD, with the variant at path; else
 * takes LD_AUDIT, of which only a run tells whether it reaches the library. environment is the program's. Errors:
 * IFR_E_USAGE if the program has no loader. The caller releases. */
int ifr_library_open(struct ifr_library *library, const char *program, const char *file, const char *path,
                     const struct ifr_strings *environment, struct ifr_error *err);
void ifr_library_release(struct ifr_library *library);

/* The name by which programs load a library: its soname, else that of the file. The caller frees. */
char *ifr_library_soname(const char *file);

/* Adds the files of the libraries that the loader gives a program, each once, without those of the system (below /lib and
 * /usr/lib) and those below the folder `except`; nothing for a program without a loader. */
int ifr_libraries_list(const char *program, const struct ifr_strings *environment, const char *except,
                       struct ifr_strings *files, struct ifr_error *err);

/* Lists all libraries that the loader gives a program, those of the system too, as words NAME=ID: the begin of the
 * build-id, or of the digest of a file without one. The caller frees; "" for a program without a loader. */
int ifr_libraries_identify(const char *program, const struct ifr_strings *environment, char **list,
                           struct ifr_error *err);

/* Gives the variant at path the library's name, in a folder of its own: PATH.lib/SONAME. */
int ifr_library_name(const struct ifr_library *library, const char *path, struct ifr_error *err);

/* The program's environment with the variant at path: a copy, which the caller releases. */
void ifr_library_environment(const struct ifr_library *library, const char *path,
                             const struct ifr_strings *environment, struct ifr_strings *copy);

#endif
