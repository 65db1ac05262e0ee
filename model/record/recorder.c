/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/recorder.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"
#include "model/record/qemu.h"

static const char *const names[IFR_RECORDERS] = {"auto", "valgrind", "qemu"};

enum ifr_recorder ifr_recorder_named(const char *name) {
	enum ifr_recorder recorder = 0;
	while (recorder < IFR_RECORDERS && strcmp(names[recorder], name) != 0)
		recorder++;
	return recorder;
}

/* True if an ELF file exports nothing to plugins: QEMU is configured without them, as Debian 13's static qemu-user. A
 * script may start any QEMU. */
static bool lacks_plugins(const struct ifr_buffer *file) {
	static const char function[] = "qemu_plugin_register_vcpu_tb_trans_cb";
	return file->length > SELFMAG && !memcmp(file->data, ELFMAG, SELFMAG) &&
	       !memmem(file->data, file->length, function, strlen(function));
}

static int find_qemu(char **qemu, struct ifr_error *err) {
	struct ifr_buffer file = {0};
	char *path = ifr_program_find(QEMU, NULL);
	if (!path)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "there is no " QEMU
		                " for --recorder qemu: install Debian's package qemu-user, or leave the "
		                "option out");
	int result = ifr_file_read(path, 0, &file, err);
	if (!result && lacks_plugins(&file))
		result =
			ifr_fail(err, IFR_E_ENVIRONMENT,
		             "--recorder qemu needs a " QEMU " with plugins, and %s has none (Debian 12's qemu-user has "
		             "them, Debian 13's has not): leave the option out, or put a QEMU 7.2 that was configured "
		             "with --enable-plugins first in PATH",
		             path);
	ifr_buffer_release(&file);
	if (result)
		free(path);
	else
		*qemu = path;
	return result;
}

int ifr_recorder_choose(enum ifr_recorder wanted, const char *tool, struct ifr_recorder_choice *choice,
                        struct ifr_error *err) {
	*choice = (struct ifr_recorder_choice){.recorder = wanted == IFR_RECORDER_QEMU ? IFR_RECORDER_QEMU
	                                                                               : IFR_RECORDER_VALGRIND};
	if (choice->recorder == IFR_RECORDER_QEMU)
		return find_qemu(&choice->file, err);
	if (!tool || !ifr_file_exists(tool)) {
		choice->recorder = IFR_RECORDER_QEMU;
		if (wanted == IFR_RECORDER_AUTO && !find_qemu(&choice->file, NULL))
			return 0;
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the recorder %s is missing: install interfero again",
		                tool ? tool : "");
	}
	choice->file = ifr_strdup(tool);
	return 0;
}
