/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captures a link as a kit: the linker's inputs, its arguments, and its output. */
#ifndef IFR_WRAPPER_CAPTURE_H
#define IFR_WRAPPER_CAPTURE_H

#include <stdbool.h>

#include "common/error.h"
#include "common/strings.h"

/* The command line of a link, response files expanded. */
struct ifr_link {
	struct ifr_strings arguments;   /* without the linker's name */
	struct ifr_strings ltrans;      /* copies of the objects that -flto compiled, in link order; absolute paths */
	struct ifr_strings ltrans_made; /* the temporary names under which the linker read these objects */
	char *output;                   /* as given; "a.out" by default */
	char *map;                      /* the user's own map file, or NULL */
	char *dependency_file;          /* the user's own dependency file, or NULL */
	bool has_build_id;              /* there is an option --build-id, even --build-id=none */
	bool relocatable;               /* -r: the output is an object file */
	bool has_inputs;                /* false for --version and the like */
	bool watches_ltrans;            /* the link runs keep-ltrans (capture/ltrans.h) in place of lto-wrapper */
};

/* Parses argv[1…], with response files expanded. */
void ifr_link_read(struct ifr_link *link, int argc, char **argv);
void ifr_link_release(struct ifr_link *link);

/* Whether the output is a test program of configure, CMake or meson. */
bool ifr_link_is_probe(const char *output, const char *cwd);

/* Appends the arguments with which ld.bfd repeats the link inside a kit: without output, map, build-id and the
 * compiler's plugin. If there are ltrans objects, IFR_KIT_LTO_PLUGIN stands for the plugin. Absolute paths are below
 * IFR_KIT_ROOT. Files that options name (version scripts and the like) are appended to files as absolute paths. */
void ifr_link_arguments(const struct ifr_link *link, const char *cwd, struct ifr_strings *arguments,
                        struct ifr_strings *files);

/* Appends the files that a dependency file of ld (--dependency-file) lists, spelled as there. */
void ifr_dependencies_parse(const char *text, struct ifr_strings *files);

/* Adds the templates of the units among a kit's inputs (compiletime/template.h). */
struct ifr_kit;
void ifr_capture_templates(struct ifr_kit *kit);

/* Saves the kit of a finished link. linker is "ld.bfd", "ld.gold", …; real is its path; map is a map file or NULL;
 * dependencies is a dependency file, or NULL: ld.bfd then repeats the link to write one. */
int ifr_capture(const struct ifr_link *link, const char *linker, const char *real, const char *dependencies,
                const char *map, struct ifr_error *err);

/* Gives a captured program the layout of a plan, in place; says in one line on standard error which units of the plan are
 * gone. Errors: IFR_E_ENVIRONMENT with the reason; the program is then as it was linked. */
int ifr_link_pin(const char *output, const char *plan, struct ifr_error *err);
/* Warns that a program has not the layout of a plan, and returns 0; with INTERFERO_LAYOUT_STRICT the exit status of a
 * link that fails. */
int ifr_link_report_unpinned(const char *output, const char *plan, const char *why);

#endif
