/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units that reports show: where each lay in every layout, and its share of the samples. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/analysis/analysis.h"
#include "harness/campaign/state.h"
#include "kit/kit.h"

/* Units without samples fill up to this number, the largest first. */
enum { UNITS_MOST = 300 };

/* A program whose units are collected. */
struct collection {
	struct campaign_state *state;
	const struct ifr_dataset *old; /* the samples of units that the experiment holds already */
	unsigned program;
	struct ifr_relinker *relinker;
	struct ifr_unit_addresses addresses;
	uint64_t *samples, *shipped_at; /* [addresses.unit_count] */
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

/* The dataset's unit for a whole file, made where there is none. */
static struct ifr_dataset_unit *find_file(struct collection *in, const char *path) {
	char *name = ifr_format("[%s]", *path ? ifr_path_base(path) : "no file");
	struct ifr_dataset_unit *found = NULL;
	for (size_t i = 0; i < in->into->unit_count && !found; i++)
		if (in->into->units[i].program == in->program && !strcmp(in->into->units[i].name, name))
			found = &in->into->units[i];
	if (!found) {
		found = ifr_dataset_add_unit(in->into);
		found->program = in->program;
		found->name = ifr_strdup(name);
	}
	free(name);
	return found;
}

/* The unit at an address of the shipped program, or unit_count. */
static size_t find_unit(const struct collection *in, uint64_t address) {
	for (size_t i = 0; i < ifr_relinker_unit_count(in->relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(in->relinker, i, &unit);
		if (address - unit.address < unit.bytes)
			return ifr_unit_addresses_index(&in->addresses, unit.name);
	}
	return in->addresses.unit_count;
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

/* Takes the samples of an earlier call of the campaign over. */
static void keep_samples(struct collection *in) {
	for (size_t i = 0; i < in->old->unit_count; i++) {
		const struct ifr_dataset_unit *unit = &in->old->units[i];
		if (unit->program != in->program || !unit->samples)
			continue;
		size_t found = ifr_unit_addresses_index(&in->addresses, unit->name);
		if (found < in->addresses.unit_count)
			in->samples[found] = unit->samples;
		else
			find_file(in, "")->samples += unit->samples;
	}
}

static void note_shipped(struct collection *in) {
	for (size_t i = 0; i < ifr_relinker_unit_count(in->relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(in->relinker, i, &unit);
		size_t found = ifr_unit_addresses_index(&in->addresses, unit.name);
		if (found < in->addresses.unit_count)
			in->shipped_at[found] = unit.address;
	}
}

static void add_unit(struct collection *in, size_t unit) {
	const struct ifr_unit_addresses *from = &in->addresses;
	struct ifr_dataset_unit *made = ifr_dataset_add_unit(in->into);
	made->program = in->program;
	made->name = ifr_strdup(from->units[unit]);
	made->source = from->sources[unit] ? ifr_strdup(from->sources[unit]) : NULL;
	made->bytes = from->bytes[unit];
	made->samples = in->samples[unit];
	for (size_t i = 0; i < from->variant_count; i++)
		made->at[i] = from->at[i * from->unit_count + unit];
	for (size_t i = 0; i < from->variant_count; i++)
		if (in->into->variants[i].program == in->program && !in->into->variants[i].layout)
			made->at[i] = in->shipped_at[unit];
}

/* Units with samples come first, then the largest of the others while there is room. */
static void choose_units(struct collection *in) {
	const struct ifr_unit_addresses *from = &in->addresses;
	size_t room = UNITS_MOST;
	for (size_t i = 0; i < from->unit_count; i++)
		if (in->samples[i]) {
			add_unit(in, i);
			room -= room > 0;
		}
	for (uint64_t below = UINT64_MAX; room;) {
		uint64_t next = 0;
		for (size_t i = 0; i < from->unit_count; i++)
			if (!in->samples[i] && from->bytes[i] < below && from->bytes[i] > next)
				next = from->bytes[i];
		for (size_t i = 0; i < from->unit_count && room && next; i++)
			if (!in->samples[i] && from->bytes[i] == next) {
				add_unit(in, i);
				room--;
			}
		if (!next)
			break;
		below = next;
	}
}

static int collect_program(struct collection *in, struct ifr_error *err) {
	const struct ifr_kit *kit = in->state->plan.programs[in->program].kit;
	const struct ifr_profile *profile = in->state->programs[in->program].profile;
	int result = ifr_relinker_open(kit, &in->relinker, err);
	if (!result)
		result = ifr_unit_addresses_find(in->relinker, in->into, in->program, &in->addresses, err);
	if (!result) {
		ifr_unit_addresses_find_sources(kit, in->relinker, &in->addresses);
		in->samples = ifr_alloc((in->addresses.unit_count + 1) * sizeof *in->samples);
		in->shipped_at = ifr_alloc((in->addresses.unit_count + 1) * sizeof *in->shipped_at);
		note_shipped(in);
		if (profile && ifr_profile_count(profile))
			count_samples(in, profile);
		else
			keep_samples(in);
		choose_units(in);
	}
	free(in->samples);
	free(in->shipped_at);
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
