/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counting run: the launcher reads the counters of the running program periodically. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "harness/limit/quiet_time.h"
#include "harness/limit/stages.h"
#include "compiletime/compiletime.h"
#include "kit/kit.h"

struct profile {
	struct procedures *procedures;
	uint64_t entry;          /* address of the program's first instruction in its file */
	uint64_t address, bytes; /* of the counters in the file */
	struct ifr_entry_counter *counters;
	int64_t budget_ns;
	bool seen; /* the counters were read at least once */
	bool over; /* the budget */
	bool threads;
	int error; /* errno of a read that failed */
};

static int find_counters(const char *path, struct profile *profile, struct ifr_error *err) {
	struct ifr_elf_file file;
	GElf_Ehdr header;
	GElf_Shdr section;
	ifr_elf_open(&file, path);
	if (gelf_getehdr(file.elf, &header) && ifr_elf_find_section(file.elf, IFR_ENTRIES_SECTION, &section)) {
		profile->entry = header.e_entry;
		profile->address = section.sh_addr;
		profile->bytes = section.sh_size - section.sh_size % sizeof(struct ifr_entry_counter);
	}
	ifr_elf_close(&file);
	return profile->bytes ? 0
	                      : ifr_fail(err, IFR_E_USAGE,
	                                 "the linker put no counters into the program: is it a script of its own?");
}

/* The load address of the program less the address in its file, by the auxiliary vector. */
static bool find_load_bias(pid_t child, uint64_t entry, uint64_t *base) {
	char path[64];
	uint64_t pairs[64][2];
	snprintf(path, sizeof path, "/proc/%d/auxv", (int)child);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, pairs, sizeof pairs) : -1;
	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < got / (ssize_t)sizeof *pairs; i++)
		if (pairs[i][0] == AT_ENTRY) {
			*base = pairs[i][1] - entry;
			return true;
		}
	return false;
}

static bool has_threads(pid_t child) {
	char path[64];
	struct stat status;
	snprintf(path, sizeof path, "/proc/%d/task", (int)child);
	/* A link for each thread's folder, and two that every folder has. */
	return !stat(path, &status) && status.st_nlink > 3;
}

static void store_counters(struct profile *profile, int64_t elapsed_ns) {
	const struct procedures *procedures = profile->procedures;
	for (size_t i = 0; i < profile->bytes / sizeof *profile->counters; i++) {
		const struct ifr_entry_counter *counter = &profile->counters[i];
		if (counter->number >= procedures->count)
			continue;
		struct procedure *procedure = &procedures->items[counter->number];
		if (procedure->count != counter->count) {
			procedure->count = counter->count;
			procedure->last_ns = elapsed_ns;
		}
	}
}

/* The run has told enough, or cannot succeed any more. */
static bool is_decided(const struct profile *profile) {
	return profile->over || profile->threads || profile->error;
}

/* Reads the counters once; called by the launcher while the program runs. */
static void read_counters(pid_t child, int64_t elapsed_ns, void *data) {
	struct profile *profile = data;
	uint64_t base;
	/* A killed program may still be ending, and what it waited for may be known only now. */
	if (is_decided(profile))
		return;
	profile->threads = has_threads(child);
	if (profile->threads || !find_load_bias(child, profile->entry, &base))
		goto out;
	struct iovec here = {profile->counters, profile->bytes};
	struct iovec there = {(void *)(uintptr_t)(base + profile->address), profile->bytes};
	ssize_t got = process_vm_readv(child, &here, 1, &there, 1, 0);
	if (got == (ssize_t)profile->bytes) {
		const int64_t quiet_ns = quiet_time_of(child, elapsed_ns);
		store_counters(profile, quiet_ns);
		profile->seen = true;
		profile->over = quiet_ns >= profile->budget_ns;
	} else if (got < 0 && errno != ESRCH) { /* ESRCH: the program has just ended */
		profile->error = errno;
	}
out:
	if (is_decided(profile))
		kill(child, SIGKILL);
}

static int check_profile(const struct ifr_limit *limit, const struct profile *profile,
                         const struct ifr_outcome *outcome, struct ifr_error *err) {
	const char *name = limit->argv[0];
	if (outcome->interrupted)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted; nothing was made");
	if (profile->threads)
		return ifr_fail(
			err, IFR_E_PROGRAM,
			"%s has several threads: when one of them reaches a count, the progress of the others differs "
			"from run to run, so no count stops all at the same instruction; let it run with one thread "
			"(OMP_NUM_THREADS=1, or an option of its own)",
			name);
	if (profile->error) {
		errno = profile->error;
		return ifr_fail_errno(
			err, IFR_E_ENVIRONMENT,
			"cannot read the counters of %s while it runs (it must not exec another program, and "
			"the system must let it be read: kernel.yama.ptrace_scope at most 1)",
			name);
	}
	const bool ended = !profile->over && !outcome->timed_out;
	if (ended && outcome->signal)
		return ifr_fail(err, IFR_E_PROGRAM, "%s ends by signal %d after %.2f s, before the budget", name,
		                outcome->signal, (double)outcome->times.wall_ns / 1e9);
	if (ended)
		return ifr_fail(
			err, IFR_E_PROGRAM,
			"%s ends by itself with status %d after %.2f s, before the budget: measure it as it is, or "
			"give fewer --seconds",
			name, outcome->exit_status, (double)outcome->times.wall_ns / 1e9);
	return profile->seen
	           ? 0
	           : ifr_fail(err, IFR_E_ENVIRONMENT, "the counters of %s were never seen: give more --seconds", name);
}

int64_t limit_timeout(const struct ifr_limit *limit) {
	return 10 * limit->budget_ns + INT64_C(10000000000);
}

int limit_run_program(const struct ifr_limit *limit, const char *path, int64_t timeout_ns,
                      void (*watch)(pid_t, int64_t, void *), void *data, struct ifr_outcome *outcome,
                      struct ifr_error *err) {
	struct ifr_launch launch = {
		.program = path,
		.argv = limit->argv,
		.context = limit->context,
		.stdin_file = limit->stdin_file,
		.cpu = -1,
		.timeout_ns = timeout_ns,
		.watch = watch,
		.watch_data = data,
	};
	return ifr_launch_run(&launch, outcome, err);
}

int profile_program(const struct ifr_limit *limit, const char *path, struct procedures *procedures,
                    struct ifr_error *err) {
	struct profile profile = {.procedures = procedures, .budget_ns = limit->budget_ns};
	struct ifr_outcome outcome;
	int result = find_counters(path, &profile, err);
	if (result)
		return result;
	profile.counters = ifr_alloc(profile.bytes);
	result = limit_run_program(limit, path, limit_timeout(limit), read_counters, &profile, &outcome, err);
	if (!result)
		result = check_profile(limit, &profile, &outcome, err);
	ifr_outcome_release(&outcome);
	free(profile.counters);
	return result;
}
