/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel writes samples and the mappings of executable files into a ring buffer. It is read once, after the run:
 * the caller chooses the period so that it does not overflow, and what did not fit is lost from the end. */
#include "harness/counters/profile.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/buffer.h"

/* 512 KiB, which users without privileges may lock: 16000 samples. */
enum { RING_PAGES = 128 };

struct mapping {
	uint32_t process;
	uint64_t start, bytes, offset;
	char *path;
};

struct sample {
	size_t mapping; /* its number, or SIZE_MAX */
	uint64_t offset;
};

struct ifr_profile {
	int64_t period_ns;
	int fd;
	char *ring; /* a page of control data, then RING_PAGES */
	size_t page;
	uint32_t child;
	struct mapping *mappings;
	size_t mapping_count, run_mappings; /* run_mappings: those from there on are of the current run */
	struct sample *samples;
	size_t sample_count, threads;
};

struct ifr_profile *ifr_profile_new(int64_t period_ns) {
	struct ifr_profile *profile = ifr_alloc(sizeof *profile);
	profile->period_ns = period_ns;
	profile->fd = -1;
	profile->page = (size_t)sysconf(_SC_PAGESIZE);
	return profile;
}

static void detach(struct ifr_profile *profile) {
	if (profile->ring)
		munmap(profile->ring, (RING_PAGES + 1) * profile->page);
	if (profile->fd >= 0)
		close(profile->fd);
	profile->ring = NULL;
	profile->fd = -1;
}

void ifr_profile_close(struct ifr_profile *profile) {
	if (!profile)
		return;
	detach(profile);
	for (size_t i = 0; i < profile->mapping_count; i++)
		free(profile->mappings[i].path);
	free(profile->mappings);
	free(profile->samples);
	free(profile);
}

int ifr_profile_arm(struct ifr_profile *profile, pid_t child, int cpu, struct ifr_error *err) {
	const bool samples = profile->period_ns > 0;
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
	                               .size = sizeof attr,
	                               .config = samples ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_DUMMY,
	                               .sample_period = (uint64_t)profile->period_ns,
	                               .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
	                               .disabled = 1,
	                               .enable_on_exec = 1,
	                               .inherit = cpu >= 0,
	                               .exclude_kernel = 1,
	                               .exclude_hv = 1,
	                               .mmap = samples,
	                               .mmap2 = samples,
	                               .task = 1};
	detach(profile);
	profile->child = (uint32_t)child;
	profile->run_mappings = profile->mapping_count;
	profile->fd = (int)syscall(SYS_perf_event_open, &attr, child, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (profile->fd < 0)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "the kernel refuses samples of cpu-clock");
	void *ring = mmap(NULL, (RING_PAGES + 1) * profile->page, PROT_READ | PROT_WRITE, MAP_SHARED, profile->fd, 0);
	if (ring == MAP_FAILED) {
		detach(profile);
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "the kernel refuses a buffer for samples");
	}
	profile->ring = ring;
	return 0;
}

/* Copies part of a record out of the ring, which may wrap around within it. */
static void copy_record(const struct ifr_profile *profile, uint64_t at, void *to, size_t bytes) {
	const size_t size = RING_PAGES * profile->page;
	const char *data = profile->ring + profile->page;
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = data[(at + i) % size];
}

static void add_mapping(struct ifr_profile *profile, uint64_t at, size_t bytes) {
	struct {
		struct perf_event_header header;
		uint32_t process, thread;
		uint64_t start, bytes, offset;
		uint32_t device[2];
		uint64_t inode[2];
		uint32_t protection, flags;
	} record;
	if (bytes <= sizeof record)
		return;
	copy_record(profile, at, &record, sizeof record);
	char *path = ifr_alloc(bytes - sizeof record + 1);
	copy_record(profile, at + sizeof record, path, bytes - sizeof record);
	profile->mappings = ifr_realloc(profile->mappings, profile->mapping_count + 1, sizeof *profile->mappings);
	profile->mappings[profile->mapping_count++] =
		(struct mapping){record.process, record.start, record.bytes, record.offset, path};
}

/* The newest mapping of a process at an address; SIZE_MAX for none. */
static size_t find_mapping(const struct ifr_profile *profile, uint32_t process, uint64_t address, bool *known) {
	for (size_t i = profile->mapping_count; i-- > profile->run_mappings;) {
		const struct mapping *mapping = &profile->mappings[i];
		if (mapping->process != process)
			continue;
		*known = true;
		if (address - mapping->start < mapping->bytes)
			return i;
	}
	return SIZE_MAX;
}

static void add_sample(struct ifr_profile *profile, uint64_t at) {
	struct {
		struct perf_event_header header;
		uint64_t address;
		uint32_t process, thread;
	} record;
	bool known = false;
	copy_record(profile, at, &record, sizeof record);
	size_t found = find_mapping(profile, record.process, record.address, &known);
	/* A process that was forked and never called exec has the mappings of the child. */
	if (!known)
		found = find_mapping(profile, profile->child, record.address, &known);
	uint64_t offset = record.address;
	if (found != SIZE_MAX)
		offset += profile->mappings[found].offset - profile->mappings[found].start;
	if (!(profile->sample_count & (profile->sample_count - 1)))
		profile->samples = ifr_realloc(profile->samples, profile->sample_count ? 2 * profile->sample_count : 1,
		                               sizeof *profile->samples);
	profile->samples[profile->sample_count++] = (struct sample){found, offset};
}

/* A thread, not a process, where the child has the number of its parent's process. */
static void count_fork(struct ifr_profile *profile, uint64_t at) {
	struct {
		struct perf_event_header header;
		uint32_t process, parent_process, thread, parent_thread;
	} record;
	copy_record(profile, at, &record, sizeof record);
	profile->threads += record.process == record.parent_process;
}

void ifr_profile_collect(struct ifr_profile *profile) {
	if (!profile->ring)
		return;
	const struct perf_event_mmap_page *control = (const void *)profile->ring;
	const uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header header;
	for (uint64_t at = 0; at + sizeof header <= head; at += header.size) {
		copy_record(profile, at, &header, sizeof header);
		if (header.size < sizeof header)
			break;
		if (header.type == PERF_RECORD_MMAP2)
			add_mapping(profile, at, header.size);
		else if (header.type == PERF_RECORD_SAMPLE)
			add_sample(profile, at);
		else if (header.type == PERF_RECORD_FORK)
			count_fork(profile, at);
	}
	detach(profile);
}

size_t ifr_profile_threads(const struct ifr_profile *profile) {
	return profile->threads;
}

size_t ifr_profile_count(const struct ifr_profile *profile) {
	return profile->sample_count;
}

void ifr_profile_get(const struct ifr_profile *profile, size_t index, struct ifr_profile_sample *sample) {
	const struct sample *from = &profile->samples[index];
	sample->path = from->mapping == SIZE_MAX ? "" : profile->mappings[from->mapping].path;
	sample->offset = from->offset;
}
