/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole list of the processor's events, as libpfm4 knows them: a name and a raw code for each unit mask.
 * Ref: Melhus 2013, section 3.2 (all events of the processor, a few at a time, and their correlation with cycles). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/counters/source.h"

/* libpfm4's PMU of events that all processors of Intel have repeats some of the model's own. */
static bool is_processor(const pfm_pmu_info_t *pmu) {
	return pmu->is_present && pmu->type == PFM_PMU_TYPE_CORE && strcmp(pmu->name, "ix86arch") != 0;
}

static bool has_event(const struct ifr_perf_event *events, unsigned count, const struct perf_event_attr *attr) {
	for (unsigned i = 0; i < count; i++)
		if (!memcmp(&events[i].attr, attr, sizeof *attr))
			return true;
	return false;
}

/* Events that need a second register besides their code, such as OFFCORE_RESPONSE, have thousands of forms: they are
 * named one by one. */
static void add_event(const char *pmu, const char *event, const char *mask, struct ifr_perf_list *list) {
	struct ifr_perf_event encoded;
	char *name = mask ? ifr_format("%s:%s", event, mask) : ifr_strdup(event),
		 *whole = ifr_format("%s::%s", pmu, name);
	if (!ifr_perf_event_encode(whole, &encoded, NULL) && !encoded.attr.config1 && !encoded.attr.config2 &&
	    !has_event(list->events, list->count, &encoded.attr)) {
		snprintf(encoded.name, sizeof encoded.name, "%.40s/r%04llx", name,
		         (unsigned long long)encoded.attr.config);
		list->events = ifr_realloc(list->events, list->count + 1, sizeof *list->events);
		list->events[list->count++] = encoded;
	}
	free(whole);
	free(name);
}

static void add_masks(const pfm_pmu_info_t *pmu, int index, struct ifr_perf_list *list) {
	pfm_event_info_t event = {.size = sizeof event};
	bool has_masks = false;
	if (pfm_get_event_info(index, PFM_OS_NONE, &event) != PFM_SUCCESS)
		return;
	for (int i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof mask};
		if (pfm_get_event_attr_info(index, i, PFM_OS_NONE, &mask) != PFM_SUCCESS || mask.type != PFM_ATTR_UMASK)
			continue;
		has_masks = true;
		add_event(pmu->name, event.name, mask.name, list);
	}
	if (!has_masks)
		add_event(pmu->name, event.name, NULL, list);
}

int ifr_perf_list_make(struct ifr_perf_list *list, struct ifr_error *err) {
	int pmu;
	*list = (struct ifr_perf_list){0};
	if (pfm_initialize() != PFM_SUCCESS)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: libpfm4 does not start");
	pfm_for_all_pmus(pmu) {
		pfm_pmu_info_t info = {.size = sizeof info};
		if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS || !is_processor(&info))
			continue;
		for (int event = info.first_event; event != -1; event = pfm_get_event_next(event))
			add_masks(&info, event, list);
	}
	if (list->count)
		return 0;
	return ifr_fail(err, IFR_E_ENVIRONMENT,
	                "perf:all: libpfm4 has no list of this processor's events; name events, as perf:r0107");
}

void ifr_perf_list_release(struct ifr_perf_list *list) {
	free(list->events);
	*list = (struct ifr_perf_list){0};
}
