/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/valgrind.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "model/record/recorded_program.h"

/* Blocks end where the program branches (no chasing) and run once (no unrolling). */
static const char *const fixed[] = {"--tool=interfero",         "-q",
                                    "--sigill-diagnostics=yes", "--vgdb=no",
                                    "--vex-guest-chase=no",     "--vex-iropt-unroll-thresh=0",
                                    "--vex-guest-max-insns=50"};

static void add_variable(const char *variable, struct ifr_strings *environment) {
	if (!ifr_starts_with(variable, PRELOAD))
		ifr_strings_add(environment, variable);
}

/* The program's path, with further slashes before it if its name (argv[0]) is longer: the name takes the path's place in
 * the program's memory. */
static char *program_with_room(const struct ifr_recording *recording) {
	const size_t room = strlen(recording->program), wanted = strlen(recording->argv[0]);
	if (wanted <= room || *recording->program != '/')
		return ifr_strdup(recording->program);
	char *path = ifr_alloc(wanted + 1);
	memset(path, '/', wanted - room);
	memcpy(path + wanted - room, recording->program, room);
	return path;
}

void valgrind_command(const struct ifr_recording *recording, int ring_fd, int log_fd,
                      struct ifr_strings *arguments, struct ifr_strings *environment) {
	ifr_strings_add(arguments, "interfero-recorder");
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		ifr_strings_add(arguments, fixed[i]);
	ifr_strings_take(arguments, ifr_format("--log-fd=%d", log_fd));
	ifr_strings_take(arguments, ifr_format("--ring=%d", ring_fd));
	if (recording->everything)
		ifr_strings_add(arguments, "--all=yes");
	if (recording->region)
		ifr_strings_take(arguments, ifr_format("--watch=%s", recording->region));
	char *path = program_own_path(recording), *preload = program_preload(recording);
	if (path)
		ifr_strings_take(arguments, ifr_format("--own-path=%s", path));
	free(path);
	ifr_strings_take(arguments, ifr_format("--argument=%s", recording->argv[0]));
	ifr_strings_take(arguments, program_with_room(recording));
	for (size_t arg = 1; recording->argv[arg]; arg++)
		ifr_strings_add(arguments, recording->argv[arg]);
	/* Settings of layouts come behind what is the same in all: the loader reads LD_PRELOAD up to three bytes beyond its
	 * end. They precede the variable by whose size layouts move the stack, and so do not move with it. */
	size_t i = 0;
	if (preload)
		ifr_strings_take(environment, preload);
	if (recording->environment[0])
		add_variable(recording->environment[i++], environment);
	if (recording->objects)
		ifr_strings_add(environment, recording->settings);
	for (; recording->environment[i]; i++)
		add_variable(recording->environment[i], environment);
	/* The tool removes both from the program's environment. It must know a launcher, and never starts it. */
	ifr_strings_add(environment, "VALGRIND_LAUNCHER=/usr/bin/valgrind");
	ifr_strings_add(environment, "VALGRIND_LIB=/usr/libexec/valgrind");
}

/* --- its messages -------------------------------------------------------------------------------------------- */

/* Returns the rest of the first line that contains a text, from the text on; NULL if there is none. */
static char *find_line(const char *log, const char *text) {
	const char *found = strstr(log, text);
	return found ? strndup(found, strcspn(found, "\n")) : NULL;
}

static int refuse_instruction(const char *log, const char *unknown, struct ifr_error *err) {
	static const char of_file[] = "unknown instruction of file ";
	char *place = find_line(log, of_file), *path = place ? place + strlen(of_file) : NULL;
	char *at = path ? strstr(path, ", at 0x") : NULL;
	const char *bytes = strchr(unknown, ':');
	if (at)
		*at = '\0';
	int result =
		ifr_fail(err, IFR_E_PROGRAM,
	             "the recorder does not know an instruction%s%s%s%s (bytes%s): build for a smaller instruction "
	             "set, such as -march=x86-64-v3",
	             at ? "; addr2line -e " : "", at ? path : "", at ? at + strlen(", at") : "",
	             at ? " names its line" : "", bytes ? bytes + 1 : "");
	free(place);
	return result;
}

static int read_log(int log_fd, struct ifr_buffer *log, struct ifr_error *err) {
	char *path = ifr_format("/proc/self/fd/%d", log_fd);
	int result = ifr_file_read(path, 0, log, err);
	free(path);
	return result;
}

/* The first line with one of the messages of a recorder that gives up; NULL if there is none. */
static char *find_failure(const char *log) {
	static const char *const messages[] = {"Assertion '", "INTERNAL ERROR", "the program starts more than",
	                                       "the `impossible' happened"};
	char *line = NULL;
	for (size_t i = 0; i < sizeof messages / sizeof *messages && !line; i++)
		line = find_line(log, messages[i]);
	if (line && line[strlen(line) - 1] == ':')
		line[strlen(line) - 1] = '\0';
	return line;
}

/* The text of a line, behind "==PID== " or "--PID-- ". */
static const char *skip_mark(const char *line) {
	const char *c = line;
	if (!strncmp(c, "==", 2) || !strncmp(c, "--", 2)) {
		c += 2 + strspn(c + 2, "0123456789");
		c = c > line + 2 && (!strncmp(c, "==", 2) || !strncmp(c, "--", 2)) ? c + 2 : line;
	}
	return c + strspn(c, " \t");
}

/* A signal is described in two lines: "Process terminating with …" and its cause. */
char *valgrind_first_message(int log_fd) {
	struct ifr_buffer log = {0}, message = {0};
	const char *line = read_log(log_fd, &log, NULL) ? "" : ifr_buffer_text(&log);
	const char *end = strstr(line, "Process terminating with");
	bool wants_cause = false;
	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *text = skip_mark(line);
		const int length = (int)strcspn(text, "\n");
		if (!length || (end && text < end))
			continue;
		if (wants_cause && !strncmp(text, "at 0x", 5))
			break;
		ifr_buffer_printf(&message, "%s%.*s", wants_cause ? "; " : "", length, text);
		if (wants_cause || text != end)
			break;
		wants_cause = true;
	}
	ifr_buffer_release(&log);
	return message.length ? ifr_buffer_detach(&message) : ifr_strdup("");
}

int valgrind_judge(int log_fd, struct ifr_error *err) {
	struct ifr_buffer log = {0};
	int result = read_log(log_fd, &log, err);
	const char *text = result ? "" : ifr_buffer_text(&log);
	char *unknown = find_line(text, "unhandled instruction bytes"), *failed = find_failure(text);
	char *refused = find_line(text, "a block of the program makes more than");
	if (unknown)
		result = refuse_instruction(text, unknown, err);
	else if (refused)
		result = ifr_fail(err, IFR_E_PROGRAM, "%s", refused);
	else if (failed)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "the recorder gave up: %s; try --recorder qemu", failed);
	free(unknown);
	free(refused);
	free(failed);
	ifr_buffer_release(&log);
	return result;
}
