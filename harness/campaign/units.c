/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units that reports show: where each lay in every layout, its share of the samples, and of the executed
 * instructions. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/analysis/analysis.h"
#include "harness/build/build.h"
#include "harness/campaign/model_values.h"
#include "harness/campaign/state.h"
#include "kit/kit.h"

/* Units without samples fill up to this number: those that executed most, then the largest. */
enum { UNITS_MOST = 300 };

/* A program whose units are collected. */
struct collection {
	struct campaign_state *state;
	const struct ifr_dataset *old; /* the units that the experiment holds already */
	unsigned program;
	struct ifr_relinker *relinker;
	struct ifr_unit_addresses addresses;
	uint64_t *samples, *instructions, *shipped_at; /* [addresses.unit_count] */
	struct ifr_unit_index index;
	size_t *place; /* of the index's units in the addresses, or their count; also of none */
	struct ifr_dataset *into;
};

/* The address in an ELF file's own terms of an offset in it; 0 where it is not loaded. */
static uint64_t address_of_offset(Elf *elf, uint64_t offset) {
	size_t count = 0;
	GElf_Phdr header;
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD && offset >= header.p_offset &&
		    offset - header.p_offset < header.p_filesz)
			return header.p_vaddr + (offset - header.p_offset);
	return 0;
}

/* The dataset's unit for a whole file, by the unit's name, made where there is none. */
static struct ifr_dataset_unit *keep_file(struct collection *in, const char *name) {
	struct ifr_dataset_unit *found = NULL;
	for (size_t i = 0; i < in->into->unit_count && !found; i++)
		if (in->into->units[i].program == in->program && !strcmp(in->into->units[i].name, name))
			found = &in->into->units[i];
	if (!found) {
		found = ifr_dataset_add_unit(in->into);
		found->program = in->program;
		found->name = ifr_strdup(name);
	}
	return found;
}

static struct ifr_dataset_unit *find_file(struct collection *in, const char *path) {
	char *name = ifr_format("[%s]", *path ? ifr_path_base(path) : "no file");
	struct ifr_dataset_unit *found = keep_file(in, name);
	free(name);
	return found;
}

static void index_units(struct collection *in) {
	ifr_unit_index_make(in->relinker, &in->index);
	in->place = ifr_alloc((in->index.none + 1) * sizeof *in->place);
	in->place[in->index.none] = in->addresses.unit_count;
	for (size_t i = 0; i < in->index.none; i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(in->relinker, i, &unit);
		in->place[i] = ifr_unit_addresses_index(&in->addresses, unit.name);
		if (in->place[i] < in->addresses.unit_count)
			in->shipped_at[in->place[i]] = unit.address;
	}
}

/* The unit at an address of the shipped program, or unit_count. */
static size_t find_unit(const struct collection *in, uint64_t address) {
	return in->place[ifr_unit_index_find(&in->index, address)];
}

static void count_samples(struct collection *in, const struct ifr_profile *profile) {
	char *path = campaign_variant_path(in->state, campaign_first_variant(in->state, in->program)),
		 *real = realpath(path, NULL);
	struct ifr_elf_file file;
	bool opened = ifr_elf_open(&file, path);
	for (size_t i = 0; i < ifr_profile_count(profile); i++) {
		struct ifr_profile_sample sample;
		ifr_profile_get(profile, i, &sample);
		bool own = opened && real && !strcmp(sample.path, real);
		uint64_t address = own ? address_of_offset(file.elf, sample.offset) : 0;
		size_t unit = address ? find_unit(in, address) : in->addresses.unit_count;
		if (unit < in->addresses.unit_count)
			in->samples[unit]++;
		else
			find_file(in, own ? in->state->plan.programs[in->program].path : sample.path)->samples++;
	}
	ifr_elf_close(&file);
	free(real);
	free(path);
}

/* A file of the recording is the program's own under its own name or that of its first variant. */
static bool *find_own_files(const struct collection *in, const struct ifr_strings *files) {
	bool *own = ifr_alloc(files->count + 1);
	char *variant = campaign_variant_path(in->state, campaign_first_variant(in->state, in->program)),
		 *names[] = {realpath(variant, NULL), realpath(in->state->plan.programs[in->program].path, NULL)};
	for (size_t i = 0; i < files->count; i++) {
		char *real = realpath(files->items[i], NULL);
		for (size_t j = 0; j < sizeof names / sizeof *names; j++)
			own[i] |= real && names[j] && !strcmp(real, names[j]);
		free(real);
	}
	free(names[0]);
	free(names[1]);
	free(variant);
	return own;
}

static void count_instructions(struct collection *in, const struct ifr_executed_code *code) {
	bool *own = find_own_files(in, &code->files);
	for (size_t i = 0; i < code->count; i++) {
		const struct ifr_executed_block *block = &code->blocks[i];
		const uint64_t instructions = block->executions * block->instructions;
		const size_t unit = own[block->file] ? find_unit(in, block->address) : in->addresses.unit_count;
		const char *path =
			own[block->file] ? in->state->plan.programs[in->program].path : code->files.items[block->file];
		if (unit < in->addresses.unit_count)
			in->instructions[unit] += instructions;
		else
			find_file(in, path)->instructions += instructions;
	}
	free(own);
}

/* Takes what an earlier call of the campaign counted over. Returns whether there are instructions. */
static bool keep_counts(struct collection *in, bool samples, bool instructions) {
	bool any = false;
	for (size_t i = 0; i < in->old->unit_count; i++) {
		const struct ifr_dataset_unit *unit = &in->old->units[i];
		if (unit->program != in->program || !(unit->samples + unit->instructions))
			continue;
		any |= unit->instructions != 0;
		const size_t found = ifr_unit_addresses_index(&in->addresses, unit->name);
		struct ifr_dataset_unit *file = found < in->addresses.unit_count ? NULL : keep_file(in, unit->name);
		if (samples)
			*(file ? &file->samples : &in->samples[found]) = unit->samples;
		if (instructions)
			*(file ? &file->instructions : &in->instructions[found]) = unit->instructions;
	}
	return any;
}

/* Counts samples and instructions of this call, and takes those of earlier ones over. */
static void count_all(struct collection *in) {
	struct campaign_program *of = &in->state->programs[in->program];
	struct ifr_error none = {0};
	const bool sampled = of->profile && ifr_profile_count(of->profile);
	const bool known = keep_counts(in, !sampled, !of->executed.count);
	if (sampled)
		count_samples(in, of->profile);
	/* An earlier call may have ended between the recording and this. */
	if (!of->executed.count && !known && campaign_has_recording(in->state, in->program))
		campaign_read_executed(in->state, in->program, NULL, &none);
	if (of->executed.count)
		count_instructions(in, &of->executed);
}

static void add_unit(struct collection *in, size_t unit) {
	const struct ifr_unit_addresses *from = &in->addresses;
	struct ifr_dataset_unit *made = ifr_dataset_add_unit(in->into);
	made->program = in->program;
	made->name = ifr_strdup(from->units[unit]);
	made->source = from->sources[unit] ? ifr_strdup(from->sources[unit]) : NULL;
	made->bytes = from->bytes[unit];
	made->samples = in->samples[unit];
	made->instructions = in->instructions[unit];
	for (size_t i = 0; i < from->variant_count; i++)
		made->at[i] = from->at[i * from->unit_count + unit];
	for (size_t i = 0; i < from->variant_count; i++)
		if (in->into->variants[i].program == in->program && !in->into->variants[i].layout)
			made->at[i] = in->shipped_at[unit];
}

/* A candidate, with what ranks it. */
struct candidate {
	uint64_t samples, instructions, bytes;
	size_t unit;
};

static int by_weight(const void *a, const void *b) {
	const struct candidate *x = a, *y = b;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->instructions != y->instructions)
		return x->instructions > y->instructions ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->unit > y->unit ? 1 : -1;
}

/* Adds every unit with samples, and others while there is room. The instructions of the rest count for the file. */
static void choose_units(struct collection *in) {
	const size_t count = in->addresses.unit_count;
	struct candidate *candidates = ifr_alloc((count + 1) * sizeof *candidates);
	uint64_t rest = 0;
	for (size_t i = 0; i < count; i++)
		candidates[i] = (struct candidate){in->samples[i], in->instructions[i], in->addresses.bytes[i], i};
	qsort(candidates, count, sizeof *candidates, by_weight);
	for (size_t i = 0; i < count; i++)
		if (candidates[i].samples || (i < UNITS_MOST && candidates[i].bytes))
			add_unit(in, candidates[i].unit);
		else
			rest += candidates[i].instructions;
	if (rest)
		find_file(in, in->state->plan.programs[in->program].path)->instructions += rest;
	free(candidates);
}

static int collect_program(struct collection *in, struct ifr_error *err) {
	const struct ifr_kit *kit = in->state->plan.programs[in->program].kit;
	int result = ifr_relinker_open(kit, &in->relinker, err);
	if (!result)
		result = ifr_unit_addresses_find(in->relinker, in->into, in->program, &in->addresses, err);
	if (!result) {
		ifr_unit_addresses_find_sources(kit, in->relinker, &in->addresses);
		in->samples = ifr_alloc((in->addresses.unit_count + 1) * sizeof *in->samples);
		in->instructions = ifr_alloc((in->addresses.unit_count + 1) * sizeof *in->instructions);
		in->shipped_at = ifr_alloc((in->addresses.unit_count + 1) * sizeof *in->shipped_at);
		index_units(in);
		count_all(in);
		choose_units(in);
	}
	free(in->samples);
	free(in->instructions);
	free(in->shipped_at);
	ifr_unit_index_release(&in->index);
	free(in->place);
	ifr_unit_addresses_release(&in->addresses);
	ifr_relinker_close(in->relinker);
	return result;
}

int campaign_save_units(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_dataset into, old;
	struct ifr_error why = {0};
	int result = ifr_experiment_load(state->plan.file, &into, err);
	if (result)
		return result;
	ifr_dataset_init(&old);
	/* The units from before; new ones are added beside the same runs. */
	old.units = into.units;
	old.unit_count = into.unit_count;
	into.units = NULL;
	into.unit_count = 0;
	for (unsigned i = 0; i < state->plan.program_count; i++) {
		struct collection in = {.state = state, .old = &old, .program = i, .into = &into};
		/* Without the addresses there is no picture; the measurement stands. */
		if (state->plan.programs[i].kit)
			collect_program(&in, &why);
	}
	if (into.unit_count)
		result = ifr_experiment_save_units(state->experiment, &into, err);
	ifr_dataset_release(&into);
	ifr_dataset_release(&old);
	return result;
}
