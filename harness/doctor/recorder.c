/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder and its speed. A program of a few instructions is recorded with few iterations of its loop and with many:
 * the difference is the time of the loop, without the recorder's start. */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/doctor/doctor.h"
#include "harness/exec/exec.h"
#include "model/model.h"

enum { FEW = 1000, MANY = 4000000, INSTRUCTIONS_A_ROUND = 5 };

/* The program: mov $rounds, %ecx; 1: mov -8(%rsp), %rax; add $1, %rax; mov %rax, -8(%rsp); dec %ecx; jnz 1b;
 * mov $60, %eax; xor %edi, %edi; syscall */
static const uint8_t code[] = {0xb9, 0,    0,    0,    0,    0x48, 0x8b, 0x44, 0x24, 0xf8, 0x48,
                               0x83, 0xc0, 0x01, 0x48, 0x89, 0x44, 0x24, 0xf8, 0xff, 0xc9, 0x75,
                               0xee, 0xb8, 0x3c, 0,    0,    0,    0x31, 0xff, 0x0f, 0x05};

struct loop_file {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	uint8_t code[sizeof code];
};

static int write_loop(const char *path, uint32_t rounds, struct ifr_error *err) {
	const uint64_t base = 0x400000;
	struct loop_file file = {
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	             .e_type = ET_EXEC,
	             .e_machine = EM_X86_64,
	             .e_version = EV_CURRENT,
	             .e_entry = base + offsetof(struct loop_file, code),
	             .e_phoff = offsetof(struct loop_file, segment),
	             .e_ehsize = sizeof file.head,
	             .e_phentsize = sizeof file.segment,
	             .e_phnum = 1},
		.segment = {.p_type = PT_LOAD,
	                .p_flags = PF_R | PF_X,
	                .p_vaddr = base,
	                .p_paddr = base,
	                .p_filesz = sizeof file,
	                .p_memsz = sizeof file,
	                .p_align = 4096}};
	memcpy(file.code, code, sizeof code);
	memcpy(file.code + 1, &rounds, sizeof rounds);
	return ifr_file_write(path, &file, sizeof file, 0755, err);
}

/* Records the loop in a folder. took_ns: by the clock. */
static int record_loop(const char *folder, uint32_t rounds, int64_t *took_ns, struct ifr_error *err) {
	char *program = ifr_format("%s/loop", folder), *trace = ifr_format("%s/trace", folder);
	char *tool = ifr_path_libexec(IFR_RECORDER_TOOL), *plugin = ifr_path_libexec(IFR_RECORDER_PLUGIN);
	char *const argv[] = {program, NULL}, *const environment[] = {NULL};
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const struct ifr_recording recording = {.program = program,
	                                        .argv = argv,
	                                        .environment = environment,
	                                        .path = trace,
	                                        .tool = tool,
	                                        .plugin = plugin,
	                                        .output_fd = nowhere,
	                                        .errors_fd = nowhere,
	                                        .cpu = -1,
	                                        .timeout_ns = INT64_C(5000000000)};
	struct ifr_recorded recorded;
	int result = write_loop(program, rounds, err);
	const int64_t begun_ns = ifr_clock_ns();
	if (!result)
		result = ifr_record(&recording, &recorded, err);
	*took_ns = ifr_clock_ns() - begun_ns;
	close(nowhere);
	free(program);
	free(trace);
	free(tool);
	free(plugin);
	return result;
}

/* Measures the recorder, in instructions a second. */
static int measure_recorder(double *rate, struct ifr_error *err) {
	char *folder = NULL;
	int64_t few_ns = 0, many_ns = 0;
	int result = ifr_temporary_dir(&folder, err);
	if (!result)
		result = record_loop(folder, FEW, &few_ns, err);
	if (!result)
		result = record_loop(folder, MANY, &many_ns, err);
	const double loop_ns = many_ns > few_ns ? (double)(many_ns - few_ns) : 1;
	*rate = (double)(MANY - FEW) * INSTRUCTIONS_A_ROUND / loop_ns * 1e9;
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(folder);
	return result;
}

void ifr_checkup_recorder(struct ifr_checkup *checkup) {
	static const char remedy[] = "only interfero record and the counters of model need it";
	struct ifr_recorder_choice choice = {0};
	struct ifr_error err = {0};
	double rate = 0;
	char *tool = ifr_path_libexec(IFR_RECORDER_TOOL);
	if (ifr_recorder_choose(IFR_RECORDER_AUTO, tool, &choice, &err) || measure_recorder(&rate, &err))
		ifr_checkup_add(checkup, "recorder", IFR_CHECK_WARN, remedy, "%s", err.message);
	else
		ifr_checkup_add(
			checkup, "recorder", IFR_CHECK_OK, remedy, "%s: %.0f million instructions a second of a loop",
			choice.recorder == IFR_RECORDER_VALGRIND ? "a tool of Valgrind, built in" : "a plugin of qemu-x86_64",
			rate / 1e6);
	free(choice.file);
	free(tool);
}
