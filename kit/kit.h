/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kits: captured links. A kit holds all that a link read, the command and the linker's map, so that the program
 * can be linked again in another layout, on this machine or another, after its sources and objects are gone.
 *
 * The store is a folder ($INTERFERO_KITS, else $XDG_CACHE_HOME/interfero, else ~/.cache/interfero):
 *
 *     objects/ab/cdef…      input files by their SHA-256, read-only
 *     kits/KEY/kit.json     what was linked, how, from what (format below)
 *     kits/KEY/map          the linker's map of the original link
 *     kits/KEY/root/…       the inputs at the paths at which the link found them: a sysroot (hard links to
 * objects/)
 *
 * KEY is the program's GNU build-id in hexadecimal, so that copies and stripped copies still find their kit; a
 * program without one is found by "sha256-" and the digest of its bytes.
 *
 * kit.json, format 1: "format", "key", "program" (the output's name), "output" (its path when it was linked),
 * "sha256" and "build_id" of the output, "linker" (what made it) and "linker_version", "cwd", "created" (UTC),
 * "tool", "arguments" (for ld.bfd, without output, map, build-id and plugin; IFR_KIT_ROOT stands for root/,
 * IFR_KIT_LTO_PLUGIN for our own plugin that hands over what -flto compiled when the program was linked),
 * "inputs" ("path", "sha256", "bytes"). */
#ifndef IFR_KIT_KIT_H
#define IFR_KIT_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/plan.h"
#include "common/strings.h"

#define IFR_KIT_ROOT "@interfero-root@"
#define IFR_KIT_LTO_PLUGIN "@interfero-replay@"
enum { IFR_SHA256_HEX = 65, IFR_BUILD_ID_MAX_BYTES = 64 };

struct ifr_kit_input {
	char *path; /* absolute and normalised; its copy lies under root at the same path */
	char sha256[IFR_SHA256_HEX];
	int64_t bytes;
};

struct ifr_kit {
	char key[IFR_KEY_MAX];
	char *dir;      /* kits/KEY; NULL before it is saved */
	char *program;  /* name of the output */
	char *output;   /* its path when it was linked */
	char *sha256;   /* of the output */
	char *build_id; /* hexadecimal; "" without one */
	char *linker;   /* "ld.bfd", "ld.gold", "ld.lld", "ld.mold" */
	char *linker_version;
	char *cwd;
	char *created;
	struct ifr_strings arguments;
	struct ifr_kit_input *inputs;
	size_t input_count;
};

void ifr_kit_init(struct ifr_kit *kit);
void ifr_kit_release(struct ifr_kit *kit);
/* Adds an input by its absolute path unless it is there already; the digest is taken when the kit is saved. */
void ifr_kit_add_input(struct ifr_kit *kit, const char *path);

/* The store's folder; the caller frees. It need not exist. */
int ifr_kit_store_path(char **path, struct ifr_error *err);
/* Writes a kit whose inputs lie at their paths, with the map (a file's path, or NULL). A kit of the same key is
 * replaced whole. Errors leave no trace but unreferenced objects. */
int ifr_kit_save(struct ifr_kit *kit, const char *map, struct ifr_error *err);
/* The same for inputs that lie at their paths below a folder. */
int ifr_kit_save_below(struct ifr_kit *kit, const char *root, const char *map, struct ifr_error *err);
/* Loads the kit of a key (or of a unique beginning of one, 4 characters or more) and checks that its inputs are
 * there. Both leave a kit that may be released, also after an error. */
int ifr_kit_load(const char *key, struct ifr_kit *kit, struct ifr_error *err);
/* Loads the kit of a program: an ELF file, found by build-id or digest. */
int ifr_kit_of_program(const char *program, struct ifr_kit *kit, struct ifr_error *err);
/* Checks the digest of every input; the first that differs is the error. */
int ifr_kit_check(const struct ifr_kit *kit, struct ifr_error *err);
/* The keys of all kits, in the order of the letters. */
int ifr_kit_keys(struct ifr_strings *keys, struct ifr_error *err);
/* Removes a kit; its inputs stay until the next sweep. */
int ifr_kit_remove(const char *key, struct ifr_error *err);
/* Removes objects that no kit uses, and what was left by captures that were killed; adds up what was freed. */
int ifr_kit_sweep(int64_t *freed_bytes, struct ifr_error *err);
/* Writes a kit as a zstd-compressed tar file, and takes one in. Every digest and path of an imported kit is
 * checked before anything enters the store. */
int ifr_kit_export(const struct ifr_kit *kit, const char *file, struct ifr_error *err);
int ifr_kit_import(const char *file, char key[IFR_KEY_MAX], struct ifr_error *err);

/* Puts bytes among the objects of the store, for kits to come; key is their digest. A kit that has the file at
 * path as an input keeps it, else it is swept one day. ifr_kit_object_path gives the path, which need not exist; the
 * caller frees. */
int ifr_kit_add_object(const void *data, size_t length, char key[IFR_SHA256_HEX], struct ifr_error *err);
int ifr_kit_object_path(const char *key, char **path, struct ifr_error *err);

/* Calls visit with the bytes of the section of that name in an ELF file, or in each member of an archive, whose
 * name is given ("" outside of archives), until it returns non-zero, which is passed on. Errors: IFR_E_USAGE if
 * the file is neither. */
typedef int (*ifr_section_visit)(const char *member, const void *bytes, size_t length, void *data,
                                 struct ifr_error *err);
int ifr_sections_visit(const char *path, const char *name, ifr_section_visit visit, void *data,
                       struct ifr_error *err);

/* The GNU build-id of an ELF file in hexadecimal, "" if it has none. Errors: IFR_E_USAGE if the file is not an ELF
 * program or library (a script, an object, something else), with what it is. */
int ifr_build_id_read(const char *path, char hex[2 * IFR_BUILD_ID_MAX_BYTES + 1], struct ifr_error *err);
/* SHA-256 of bytes, and of a file, in hexadecimal. */
void ifr_sha256(const void *data, size_t length, char hex[IFR_SHA256_HEX]);
int ifr_sha256_file(const char *path, char hex[IFR_SHA256_HEX], int64_t *bytes, struct ifr_error *err);

/* kit.json as text, and back; parsing checks every field. */
int ifr_kit_parse(const char *text, size_t length, const char *origin, struct ifr_kit *kit, struct ifr_error *err);
char *ifr_kit_print(const struct ifr_kit *kit);

#endif
