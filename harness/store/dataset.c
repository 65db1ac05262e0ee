/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/store/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

void ifr_dataset_init(struct ifr_dataset *dataset) {
	memset(dataset, 0, sizeof *dataset);
}

void ifr_dataset_clear_units(struct ifr_dataset *dataset) {
	for (size_t i = 0; i < dataset->unit_count; i++) {
		free(dataset->units[i].name);
		free(dataset->units[i].source);
		free(dataset->units[i].at);
	}
	free(dataset->units);
	dataset->units = NULL;
	dataset->unit_count = 0;
}

void ifr_dataset_release(struct ifr_dataset *dataset) {
	for (size_t i = 0; i < dataset->fact_count; i++) {
		free(dataset->facts[i].name);
		free(dataset->facts[i].value);
	}
	for (size_t i = 0; i < dataset->variant_count; i++) {
		free(dataset->variants[i].plan);
		free(dataset->variants[i].build_id);
		free(dataset->variants[i].sha256);
		free(dataset->variants[i].facts);
		free(dataset->variants[i].refused);
	}
	for (size_t i = 0; i < dataset->run_count; i++) {
		free(dataset->runs[i].refused);
		free(dataset->runs[i].value);
	}
	for (size_t i = 0; i < dataset->node_count; i++) {
		free(dataset->nodes[i].host);
		free(dataset->nodes[i].processor);
		free(dataset->nodes[i].facts);
	}
	ifr_dataset_clear_units(dataset);
	free(dataset->nodes);
	free(dataset->file);
	free(dataset->facts);
	free(dataset->counters);
	free(dataset->variants);
	free(dataset->runs);
	ifr_strings_release(&dataset->warnings);
	ifr_dataset_init(dataset);
}

/* Makes room for one more element in an array that grows by doubling. */
static void *one_more(void *array, size_t count, size_t size) {
	if (count && (count & (count - 1)))
		return array;
	return ifr_realloc(array, count ? count * 2 : 1, size);
}

const char *ifr_dataset_fact(const struct ifr_dataset *dataset, const char *name) {
	for (size_t i = 0; i < dataset->fact_count; i++)
		if (!strcmp(dataset->facts[i].name, name))
			return dataset->facts[i].value;
	return NULL;
}

char *ifr_program_fact_name(const char *name, unsigned program) {
	return program ? ifr_format("%s %u", name, program + 1) : ifr_strdup(name);
}

const char *ifr_dataset_program_fact(const struct ifr_dataset *dataset, const char *name, unsigned program) {
	char *fact = ifr_program_fact_name(name, program);
	const char *value = ifr_dataset_fact(dataset, fact);
	free(fact);
	return value;
}

const char *ifr_dataset_program_name(const struct ifr_dataset *dataset, unsigned program) {
	const char *name = ifr_dataset_program_fact(dataset, "program name", program);
	return name && *name ? name : ifr_dataset_program_fact(dataset, "program", program);
}

void ifr_dataset_add_fact(struct ifr_dataset *dataset, const char *name, const char *value) {
	dataset->facts = one_more(dataset->facts, dataset->fact_count, sizeof *dataset->facts);
	dataset->facts[dataset->fact_count++] = (struct ifr_dataset_fact){ifr_strdup(name), ifr_strdup(value)};
}

const char *ifr_dataset_processor(const struct ifr_dataset *dataset, unsigned node) {
	const char *here = ifr_dataset_fact(dataset, "processor");
	return node ? dataset->nodes[node - 1].processor : here ? here : "unknown";
}

int ifr_dataset_counter(const struct ifr_dataset *dataset, const char *name) {
	for (size_t i = 0; i < dataset->counter_count; i++)
		if (!strcmp(dataset->counters[i].name, name))
			return (int)i;
	return -1;
}

static const char *skip_model(const char *name) {
	static const char model[] = "model:";
	return ifr_starts_with(name, model) ? name + strlen(model) : name;
}

bool ifr_counter_is_named(const char *name, const char *source, const char *asked) {
	return !strcmp(name, asked) || (!strcmp(source, "model") && !strcmp(skip_model(name), skip_model(asked)));
}

int ifr_dataset_find_counter(const struct ifr_dataset *dataset, const char *asked) {
	const int same = ifr_dataset_counter(dataset, asked);
	for (size_t i = 0; i < dataset->counter_count && same < 0; i++)
		if (ifr_counter_is_named(dataset->counters[i].name, dataset->counters[i].source, asked))
			return (int)i;
	return same;
}

struct ifr_dataset_variant *ifr_dataset_add_variant(struct ifr_dataset *dataset) {
	dataset->variants = one_more(dataset->variants, dataset->variant_count, sizeof *dataset->variants);
	struct ifr_dataset_variant *variant = &dataset->variants[dataset->variant_count++];
	memset(variant, 0, sizeof *variant);
	return variant;
}

struct ifr_dataset_counter *ifr_dataset_add_counter(struct ifr_dataset *dataset) {
	dataset->counters = one_more(dataset->counters, dataset->counter_count, sizeof *dataset->counters);
	struct ifr_dataset_counter *counter = &dataset->counters[dataset->counter_count++];
	memset(counter, 0, sizeof *counter);
	return counter;
}

struct ifr_dataset_node *ifr_dataset_add_node(struct ifr_dataset *dataset) {
	dataset->nodes = one_more(dataset->nodes, dataset->node_count, sizeof *dataset->nodes);
	struct ifr_dataset_node *node = &dataset->nodes[dataset->node_count++];
	*node = (struct ifr_dataset_node){0};
	return node;
}

struct ifr_dataset_run *ifr_dataset_add_run(struct ifr_dataset *dataset) {
	dataset->runs = one_more(dataset->runs, dataset->run_count, sizeof *dataset->runs);
	struct ifr_dataset_run *run = &dataset->runs[dataset->run_count++];
	memset(run, 0, sizeof *run);
	run->value = ifr_alloc(dataset->counter_count * sizeof *run->value);
	for (size_t i = 0; i < dataset->counter_count; i++)
		run->value[i] = NAN;
	return run;
}

struct ifr_dataset_unit *ifr_dataset_add_unit(struct ifr_dataset *dataset) {
	dataset->units = one_more(dataset->units, dataset->unit_count, sizeof *dataset->units);
	struct ifr_dataset_unit *unit = &dataset->units[dataset->unit_count++];
	*unit = (struct ifr_dataset_unit){.at = ifr_alloc((dataset->variant_count + 1) * sizeof *unit->at)};
	return unit;
}
