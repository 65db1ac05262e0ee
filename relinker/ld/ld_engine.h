/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ld.bfd engine: a link for each variant. */
#ifndef IFR_RELINKER_LD_ENGINE_H
#define IFR_RELINKER_LD_ENGINE_H

#include "common/buffer.h"
#include "common/error.h"
#include "kit/kit.h"
#include "relinker/placement/placement.h"

struct ld_engine {
	const struct ifr_kit *kit;
	char *ld;     /* ld.bfd's path */
	char *root;   /* the kit's sysroot */
	char *folder; /* in which ld runs */
};

int ld_engine_open(struct ld_engine *engine, const struct ifr_kit *kit, struct ifr_error *err);
void ld_engine_close(struct ld_engine *engine);

/* Repeats the kit's link. build_id is hexadecimal, "" for none. script receives the linker script that ld used;
 * map is the path of a map to write. Both may be NULL. */
int ld_engine_link_base(const struct ld_engine *engine, const char *build_id, const char *output, const char *map,
                        struct ifr_buffer *script, struct ifr_error *err);

/* Links a placement. script is the base link's; map is the path of a map to write, or NULL. */
int ld_engine_link(const struct ld_engine *engine, const struct units *units, const struct placement *placement,
                   const char *script, const char *build_id, const char *output, const char *map,
                   struct ifr_error *err);

/* Prints the linker script of a placement: the base link's script with an explicit order at the head of each
 * output section that is placed. */
int ld_script_print(const char *script, const struct units *units, const struct placement *placement,
                    struct ifr_buffer *text, struct ifr_error *err);

/* Returns the interpreter path, longer by bytes but with the same meaning: "/lib64/////ld.so". The caller frees. */
char *ld_interpreter_grow(const char *path, uint64_t bytes);

/* Returns the -dynamic-linker argument of a kit, or NULL. */
const char *ld_interpreter_of(const struct ifr_kit *kit);

#endif
