/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kits are captured links. A kit holds all inputs of a link, its command and its map, so that the program can be
 * linked again in another layout, on this machine or another, after its sources and objects are gone.
 *
 * The store is a folder ($INTERFERO_KITS, else $XDG_CACHE_HOME/interfero, else ~/.cache/interfero):
 *
 *     objects/ab/cdef…      input files by their SHA-256, read-only
 *     kits/KEY/kit.json     a description of the link (format below)
 *     kits/KEY/map          the linker's map of the original link
 *     kits/KEY/root/…       a sysroot: the inputs at their paths in the link (hard links to objects/)
 *     kits/.pinned-KEY      a symbolic link to the kit of a pinned program, whose own key is KEY
 *
 * KEY is the program's GNU build-id in hexadecimal, so that copies and stripped copies still find their kit; for a
 * program without a build-id, "sha256-" and the digest of its bytes.
 *
 * kit.json, format 1:
 *
 *     format, key           1; KEY
 *     program, output       the output's name; its path in the link
 *     sha256, build_id      of the output
 *     linker                the linker that made it
 *     linker_version
 *     cwd, created, tool    the link's folder; time (UTC); the version of interfero
 *     arguments             for ld.bfd, without output, map, build-id and plugin. IFR_KIT_ROOT stands for root/,
 *                           IFR_KIT_LTO_PLUGIN for the plugin that hands ld the objects that -flto compiled
 *     inputs                a list of path, sha256, bytes */
#ifndef IFR_KIT_KIT_H
#define IFR_KIT_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/plan.h"
#include "common/strings.h"
#include "kit/elf_file.h"

#define IFR_KIT_ROOT "@interfero-root@"
#define IFR_KIT_LTO_PLUGIN "@interfero-replay@"
/* The linker of a kit that was made of a program's relocations. */
#define IFR_KIT_UNLINKED "relocations"
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
/* Adds an input by its absolute path, unless the kit has it already. Saving the kit computes the digest. */
void ifr_kit_add_input(struct ifr_kit *kit, const char *path);

/* Finds the store's folder, which need not exist; the caller frees. */
int ifr_kit_store_path(char **path, struct ifr_error *err);
/* Saves a kit whose inputs lie at their paths, with the map (a file's path, or NULL). Replaces a kit of the same
 * key whole. Errors leave nothing but unreferenced objects behind. */
int ifr_kit_save(struct ifr_kit *kit, const char *map, struct ifr_error *err);
/* Saves a kit whose inputs lie at their paths below a folder. */
int ifr_kit_save_below(struct ifr_kit *kit, const char *root, const char *map, struct ifr_error *err);
/* Loads the kit of a key, or of a unique prefix of at least 4 characters, and checks that its inputs exist. The
 * caller releases the kit of either function also after an error. */
int ifr_kit_load(const char *key, struct ifr_kit *kit, struct ifr_error *err);
/* Loads the kit of an ELF program, by its build-id or digest. Errors: IFR_E_USAGE for a program without one. */
int ifr_kit_of_program(const char *program, struct ifr_kit *kit, struct ifr_error *err);
/* The same for a program that may have no kit: found is then false, and the kit initialised. */
int ifr_kit_find(const char *program, struct ifr_kit *kit, bool *found, struct ifr_error *err);
/* Notes that a variant of the kit took the place of its program: both functions above then find the kit for it. */
int ifr_kit_note_pinned(const char *program, const struct ifr_kit *kit, struct ifr_error *err);
/* Whether a program is such a variant of the kit. */
bool ifr_kit_is_pinned(const char *program, const struct ifr_kit *kit);
/* Whether no link was captured: the kit is of a program's own relocations, and links other bytes than that program's. */
bool ifr_kit_is_unlinked(const struct ifr_kit *kit);
/* Checks the digests of all inputs. Errors: IFR_E_ENVIRONMENT with the first input that differs. */
int ifr_kit_check(const struct ifr_kit *kit, struct ifr_error *err);
/* Lists the keys of all kits, sorted. */
int ifr_kit_keys(struct ifr_strings *keys, struct ifr_error *err);
/* Removes a kit; its inputs stay until the next sweep. */
int ifr_kit_remove(const char *key, struct ifr_error *err);
/* Removes objects that no kit uses and remains of killed captures; freed_bytes receives the sum of their sizes. */
int ifr_kit_sweep(int64_t *freed_bytes, struct ifr_error *err);
/* Exports a kit as a zstd-compressed tar file, and imports one. Import checks every digest and path before it
 * changes the store. */
int ifr_kit_export(const struct ifr_kit *kit, const char *file, struct ifr_error *err);
int ifr_kit_import(const char *file, char key[IFR_KEY_MAX], struct ifr_error *err);

/* Adds bytes to the objects of the store, for later kits; key receives their digest. A sweep removes the object
 * unless a kit has it as an input. */
int ifr_kit_add_object(const void *data, size_t length, char key[IFR_SHA256_HEX], struct ifr_error *err);
/* Finds the path of an object, which need not exist; the caller frees. */
int ifr_kit_object_path(const char *key, char **path, struct ifr_error *err);

/* Calls visit with the bytes of a section of an ELF file, or of each member of an archive that has the section;
 * member is "" for ELF files. Stops when visit returns non-zero, and returns that. Errors: IFR_E_USAGE if the file
 * is neither an ELF file nor an archive. */
typedef int (*ifr_section_visit)(const char *member, const void *bytes, size_t length, void *data,
                                 struct ifr_error *err);
int ifr_sections_visit(const char *path, const char *name, ifr_section_visit visit, void *data,
                       struct ifr_error *err);

/* Reads the GNU build-id of an ELF file in hexadecimal, "" if it has none. Errors: IFR_E_USAGE, with the kind of
 * the file, if it is not an ELF program or library. */
int ifr_build_id_read(const char *path, char hex[2 * IFR_BUILD_ID_MAX_BYTES + 1], struct ifr_error *err);
/* Compute the SHA-256 of bytes or of a file, in hexadecimal. bytes receives the file's size; it may be NULL. */
void ifr_sha256(const void *data, size_t length, char hex[IFR_SHA256_HEX]);
int ifr_sha256_file(const char *path, char hex[IFR_SHA256_HEX], int64_t *bytes, struct ifr_error *err);

/* Parse and print kit.json; parsing checks every field. origin is the file's name in messages. */
int ifr_kit_parse(const char *text, size_t length, const char *origin, struct ifr_kit *kit, struct ifr_error *err);
char *ifr_kit_print(const struct ifr_kit *kit);

#endif
