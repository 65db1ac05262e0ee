/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/prepare/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"

static int open_program(struct preparation *preparation, const struct prepare_files *files,
                        struct ifr_error *err) {
	struct image *image = preparation->image;
	int result = prepare_read_program(files->program, &image->bytes, &image->length, err);
	if (!result)
		result = elf_view_open(&preparation->program, image->bytes, image->length, files->name, err);
	if (!result)
		result = link_map_read(&preparation->map, files->map, err);
	if (result)
		return result;
	for (int r = 0; r < OUTPUTS; r++) {
		const Elf64_Shdr *section = elf_view_find(&preparation->program, output_names[r]);
		if (!image->numbers.sizes.output_bytes[r])
			continue;
		if (!section || section->sh_type != (r == OUTPUT_BSS ? SHT_NOBITS : SHT_PROGBITS) ||
		    !section->sh_addralign)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the program has no plain %s", output_names[r]);
		preparation->ranges[r] = (struct range){section, section->sh_addr, section->sh_addr + section->sh_size};
	}
	return 0;
}

/* Lists the names that --wrap redirects. */
static void list_wraps(struct preparation *preparation, const struct ifr_strings *arguments) {
	for (size_t i = 0; i < arguments->count; i++) {
		const char *argument = arguments->items[i], *name = NULL;
		if (ifr_starts_with(argument, "--wrap=") || ifr_starts_with(argument, "-wrap="))
			name = strchr(argument, '=') + 1;
		else if ((!strcmp(argument, "--wrap") || !strcmp(argument, "-wrap")) && i + 1 < arguments->count)
			name = arguments->items[++i];
		if (!name)
			continue;
		ifr_strings_add(&preparation->wraps, name);
		ifr_strings_take(&preparation->wraps, ifr_format("__wrap_%s", name));
	}
}

int prepare_read(struct preparation *preparation, const struct prepare_files *files, struct ifr_error *err) {
	static int (*const steps[])(struct preparation *, struct ifr_error *) = {
		prepare_atoms,         prepare_symbols, prepare_dynamics, prepare_patch_sites,
		prepare_linker_fields, prepare_frames,  prepare_symtab,
	};
	int result = open_program(preparation, files, err);
	if (result)
		return result;
	list_wraps(preparation, files->arguments);
	preparation->item_sections = ifr_alloc((preparation->map.count + 1) * sizeof(uint32_t));
	preparation->item_objects = ifr_alloc((preparation->map.count + 1) * sizeof(uint32_t));
	result = objects_read(&preparation->objects, &preparation->map, &preparation->program, files->folder,
	                      preparation->item_sections, preparation->item_objects, err);
	for (size_t i = 0; i < sizeof steps / sizeof *steps && !result; i++)
		result = steps[i](preparation, err);
	return result;
}

void prepare_release(struct preparation *preparation) {
	link_map_release(&preparation->map);
	objects_release(&preparation->objects);
	struct names *tables[] = {&preparation->at, &preparation->definitions, &preparation->globals,
	                          &preparation->copies, &preparation->slots};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		names_release(tables[i]);
	ifr_strings_release(&preparation->spare);
	ifr_strings_release(&preparation->wraps);
	free(preparation->item_sections);
	free(preparation->item_objects);
	free(preparation->atom_objects);
	free(preparation->atom_units);
	free(preparation->targets);
	free(preparation->addresses);
	free(preparation->dynamics);
}

static int link_image(const struct preparation *preparation, const struct ld_engine *engine, const char *script,
                      const char *output, const char *map, struct ifr_error *err) {
	struct placement placement = prepare_placement(&preparation->image->numbers.sizes, preparation->units);
	int result =
		ld_engine_link(engine, preparation->units, &placement, script, engine->kit->build_id, output, map, err);
	placement_release(&placement);
	return result;
}

int image_prepare(const struct ld_engine *engine, const struct units *units, const char *script,
                  const struct layout_sizes *sizes, struct image **prepared, struct ifr_error *err) {
	struct image *image = ifr_alloc(sizeof *image);
	struct preparation preparation = {.units = units, .image = image};
	char *folder = NULL, *output = NULL, *map = NULL;
	image->numbers.sizes = *sizes;
	image->numbers.units = image_digest_units(units);
	int result = ifr_temporary_dir(&folder, err);
	if (!result) {
		output = ifr_format("%s/program", folder);
		map = ifr_format("%s/map", folder);
		result = link_image(&preparation, engine, script, output, map, err);
	}
	const struct prepare_files files = {engine->kit->program, output, map, engine->folder,
	                                    &engine->kit->arguments};
	if (!result)
		result = prepare_read(&preparation, &files, err);
	if (!result)
		result = prepare_check(&preparation, engine, script, output, err);
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(folder);
	free(output);
	free(map);
	prepare_release(&preparation);
	if (result)
		image_close(image);
	else
		*prepared = image;
	return result;
}
