/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What surrounds a run: environment, processor, randomization. */
#include "harness/exec/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"

static void set(struct ifr_strings *environment, const char *entry) {
	size_t name = strcspn(entry, "=") + 1;
	for (size_t i = 0; i < environment->count; i++)
		if (!strncmp(environment->items[i], entry, name)) {
			free(environment->items[i]);
			environment->items[i] = ifr_strdup(entry);
			return;
		}
	ifr_strings_add(environment, entry);
}

void ifr_environment_make(struct ifr_strings *environment, const struct ifr_strings *more) {
	const char *home = getenv("HOME");
	ifr_strings_add(environment, "PATH=/usr/local/bin:/usr/bin:/bin");
	ifr_strings_take(environment, ifr_format("HOME=%s", home ? home : "/"));
	ifr_strings_add(environment, "LC_ALL=C");
	for (size_t i = 0; i < more->count; i++) {
		const char *entry = more->items[i];
		const char *value = strchr(entry, '=') ? NULL : getenv(entry);
		if (strchr(entry, '=')) {
			set(environment, entry);
		} else if (value) {
			char *passed = ifr_format("%s=%s", entry, value);
			set(environment, passed);
			free(passed);
		}
	}
}

bool ifr_loads_libraries(const char *program) {
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	bool found = false;
	elf_version(EV_CURRENT);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	size_t count = 0;
	GElf_Phdr header;
	if (elf && elf_kind(elf) == ELF_K_ELF && !elf_getphdrnum(elf, &count))
		for (size_t i = 0; i < count && !found; i++)
			found = gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP;
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

static int run_probe(const char *probe, int cpu, struct ifr_outcome *outcome, struct ifr_error *err) {
	struct ifr_strings environment = {0}, none = {0};
	char name[] = "probe", *const argv[] = {name, NULL};
	ifr_environment_make(&environment, &none);
	struct ifr_launch launch = {
		.program = probe,
		.argv = argv,
		.environment = &environment,
		.cpu = cpu,
		.timeout_ns = INT64_C(10000000000),
	};
	int result = ifr_launch_run(&launch, outcome, err);
	ifr_strings_release(&environment);
	return result;
}

int ifr_aslr_check(int cpu, struct ifr_error *err) {
	char *probe = ifr_path_libexec("probe");
	struct ifr_outcome first, second;
	ifr_outcome_init(&second);
	int result = run_probe(probe, cpu, &first, err);
	if (!result)
		result = run_probe(probe, cpu, &second, err);
	const char *a = ifr_buffer_text(&first.output), *b = ifr_buffer_text(&second.output);
	if (!result && (!*a || strcmp(a, b) || *first.refused))
		result =
			ifr_fail(err, IFR_E_ENVIRONMENT,
		             "address-space randomization (ASLR) cannot be switched off here: allow personality() (in a "
		             "container: --security-opt seccomp=unconfined), or give --keep-aslr and accept the noise");
	else if (result && err && strstr(err->message, "switch off ASLR"))
		result = ifr_fail(
			err, IFR_E_ENVIRONMENT,
			"switching off address-space randomization (ASLR) is forbidden here: allow personality() (in a "
			"container: --security-opt seccomp=unconfined), or give --keep-aslr and accept the noise");
	ifr_outcome_release(&first);
	ifr_outcome_release(&second);
	free(probe);
	return result;
}

int ifr_pin_choose(int wanted, int *cpu, struct ifr_error *err) {
	cpu_set_t allowed;
	if (sched_getaffinity(0, sizeof allowed, &allowed))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot tell the allowed processors");
	*cpu = -1;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((unsigned)i, &allowed) && (wanted < 0 || wanted == i))
			*cpu = i;
	if (*cpu < 0)
		return ifr_fail(err, IFR_E_USAGE, "processor %d is not there or not allowed to this process", wanted);
	CPU_CLR((unsigned)*cpu, &allowed);
	if (CPU_COUNT(&allowed))
		sched_setaffinity(0, sizeof allowed, &allowed);
	return 0;
}
