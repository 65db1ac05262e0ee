/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions of a run: its processor, and address-space randomization off. */
#include "harness/exec/launch.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "kit/kit.h"

bool ifr_loads_libraries(const char *program) {
	struct ifr_elf_file file;
	bool found = false;
	size_t count = 0;
	GElf_Phdr header;
	if (ifr_elf_open(&file, program) && elf_kind(file.elf) == ELF_K_ELF && !elf_getphdrnum(file.elf, &count))
		for (size_t i = 0; i < count && !found; i++)
			found = gelf_getphdr(file.elf, (int)i, &header) && header.p_type == PT_INTERP;
	ifr_elf_close(&file);
	return found;
}

/* The kernel loads a program that can lie anywhere at two thirds of the address space, or below by its alignment. Ref:
 * Linux, arch/x86/include/asm/elf.h, ELF_ET_DYN_BASE; fs/binfmt_elf.c, load_elf_binary. */
static uint64_t load_address(Elf *elf, uint64_t alignment) {
	GElf_Ehdr header;
	const bool movable = gelf_getehdr(elf, &header) && header.e_type == ET_DYN;
	return movable ? UINT64_C(0x555555554000) & -alignment : 0;
}

uint64_t ifr_huge_text_bytes(const char *program) {
	static const uint64_t huge_bytes = 1 << 21;
	struct ifr_elf_file file;
	GElf_Phdr header, text = {0};
	uint64_t alignment = 4096;
	size_t count = 0;
	if (ifr_elf_open(&file, program) && elf_kind(file.elf) == ELF_K_ELF && !elf_getphdrnum(file.elf, &count))
		for (size_t i = 0; i < count; i++) {
			if (!gelf_getphdr(file.elf, (int)i, &header) || header.p_type != PT_LOAD)
				continue;
			alignment = header.p_align > alignment ? header.p_align : alignment;
			text = header.p_flags & PF_X ? header : text;
		}
	const uint64_t begin = file.elf ? load_address(file.elf, alignment) + text.p_vaddr : 0,
				   end = begin + text.p_filesz, first = (begin + huge_bytes - 1) & -huge_bytes,
				   last = end & -huge_bytes;
	ifr_elf_close(&file);
	return first < last ? last - first : 0;
}

/* The flags of a dynamic section, 0 without one. A program without a loader, but made to lie anywhere, says so there. */
static uint64_t flags_of(Elf *elf) {
	GElf_Shdr header;
	GElf_Dyn tag;
	Elf_Data *data = elf_getdata(ifr_elf_find_section_type(elf, SHT_DYNAMIC, &header), NULL);
	for (int i = 0; data && gelf_getdyn(data, i, &tag) && tag.d_tag != DT_NULL; i++)
		if (tag.d_tag == DT_FLAGS_1)
			return tag.d_un.d_val;
	return 0;
}

bool ifr_is_library(const char *file) {
	struct ifr_elf_file opened;
	GElf_Ehdr header;
	const bool is = ifr_elf_open(&opened, file) && elf_kind(opened.elf) == ELF_K_ELF &&
	                gelf_getehdr(opened.elf, &header) && header.e_type == ET_DYN &&
	                !(flags_of(opened.elf) & DF_1_PIE);
	ifr_elf_close(&opened);
	return is && !ifr_loads_libraries(file);
}

static int run_probe(const char *probe, int cpu, struct ifr_outcome *outcome, struct ifr_error *err) {
	struct ifr_context context;
	char name[] = "probe", *const argv[] = {name, NULL};
	ifr_context_init(&context, NULL);
	struct ifr_launch launch = {
		.program = probe,
		.argv = argv,
		.context = &context,
		.cpu = cpu,
		.timeout_ns = INT64_C(10000000000),
	};
	int result = ifr_launch_run(&launch, outcome, err);
	ifr_context_release(&context);
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
