/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capturing a link as a kit: what the linker read, how it was called, and what it made. */
#ifndef IFR_WRAPPER_CAPTURE_H
#define IFR_WRAPPER_CAPTURE_H

#include <stdbool.h>

#include "common/error.h"
#include "common/strings.h"

/* What the arguments of a link say, response files expanded. */
struct ifr_link {
	struct ifr_strings arguments;   /* without the linker's name */
	struct ifr_strings ltrans;      /* copies of what -flto compiled in the link, in its order; absolute paths */
	struct ifr_strings ltrans_made; /* the names under which the linker read them, gone by now */
	char *output;                   /* as given; "a.out" by default */
	char *map;                      /* the user's own map file, or NULL */
	char *dependency_file;          /* the user's own, or NULL */
	bool has_build_id;              /* a --build-id option is there, even if it is none */
	bool relocatable;               /* -r: an object comes out, not a program */
	bool has_inputs;                /* false for --version and the like */
	bool watches_ltrans;            /* it runs our program (capture/ltrans.h) in place of lto-wrapper */
};

/* Reads argv[1…]; response files are expanded. */
void ifr_link_read(struct ifr_link *link, int argc, char **argv);
void ifr_link_release(struct ifr_link *link);

/* Whether the output is a probe of configure, CMake or meson, which nobody will measure. */
bool ifr_link_is_probe(const char *output, const char *cwd);

/* The arguments with which ld.bfd repeats the link inside a kit: without output, map, build-id and compiler
 * plugin, in whose place IFR_KIT_LTO_PLUGIN stands if there are ltrans objects; absolute paths below IFR_KIT_ROOT.
 * Files named by options (version scripts and the like) are added to files, as absolute paths. */
void ifr_link_arguments(const struct ifr_link *link, const char *cwd, struct ifr_strings *arguments,
                        struct ifr_strings *files);

/* The files in a dependency file that ld wrote (--dependency-file), as they are written there. */
void ifr_dependencies_parse(const char *text, struct ifr_strings *files);

/* Adds the templates of the units among a kit's inputs (compiletime/template.h). */
struct ifr_kit;
void ifr_capture_templates(struct ifr_kit *kit);

/* Saves the kit of a finished link. linker is "ld.bfd", "ld.gold", …, real its path; dependencies a dependency
 * file or NULL, when ld.bfd is asked; map a map file or NULL. */
int ifr_capture(const struct ifr_link *link, const char *linker, const char *real, const char *dependencies,
                const char *map, struct ifr_error *err);

#endif
