/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target without a fuzzer: fuzz_NAME CORPUS-FOLDER runs every file of the corpus, then a fixed sequence
 * of mutations of these files, and prints TAP.
 *
 * A target is a function ifr_fuzz_one that aborts, or makes a sanitizer end the process, where an invariant is
 * broken. The driver then prints the input's file or the mutation's number, which repeats it (FUZZ_FIRST).
 *
 *     FUZZ_RUNS     number of mutations; default: as many as fit into the time, and at most a number of the depth's
 *                   (tests/depth.bash) if neither the target nor FUZZ_SECONDS sets the time
 *     FUZZ_SECONDS  time in seconds; default: the target's own at full depth and an eighth of that at quick depth,
 *                   or 5
 *     FUZZ_FIRST    number of the first mutation; default: 0
 *     FUZZ_KEEP     if set, each input is written to $TMPDIR/fuzz-input before it runs
 *
 * tests/fuzz/target.h lists a target's optional parts. */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#include "common/file.h"
#include "common/random.h"
#include "tests/fuzz/target.h"
#include "tests/unit/depth.h"

enum { QUICK_RUNS = 4000, FULL_RUNS = 40000, BUDGET_SECONDS = 5, HANG_SECONDS = 60, INPUT_MAX_BYTES = 1 << 16 };

struct corpus {
	char **names;
	struct ifr_buffer *inputs;
	size_t count;
};

/* Targets start programs, and a fork copies the page tables of all memory in the sanitizer's quarantine. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
	return "quarantine_size_mb=8";
}

static char running[512] = "# nothing was running\n";

/* Also runs in a signal handler: async-signal-safe calls only. */
static void print_running(void) {
	if (write(STDOUT_FILENO, running, strlen(running)) < 0)
		_exit(70);
}

static void on_signal(int number) {
	static const char hang[] = "# it took too long\n";
	if (number == SIGALRM && write(STDOUT_FILENO, hang, sizeof hang - 1) < 0)
		_exit(70);
	print_running();
	signal(number, SIG_DFL);
	raise(number);
}

static void install_handlers(void) {
	signal(SIGABRT, on_signal);
	signal(SIGALRM, on_signal);
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_set_death_callback(print_running);
#endif
}

static void keep_input(const unsigned char *data, size_t size) {
	const char *folder = getenv("TMPDIR");
	char *path = ifr_format("%s/fuzz-input", folder && *folder ? folder : "/tmp");
	ifr_file_write(path, data, size, 0644, NULL);
	free(path);
}

/* Runs the target on a copy of exact size, so that the sanitizer sees every read behind the end. */
static void run_input(const struct ifr_buffer *input) {
	unsigned char *copy = malloc(input->length ? input->length : 1);
	if (!copy)
		abort();
	if (input->length)
		memcpy(copy, input->data, input->length);
	if (getenv("FUZZ_KEEP"))
		keep_input(copy, input->length);
	alarm(HANG_SECONDS);
	ifr_fuzz_one(copy, input->length);
	alarm(0);
	free(copy);
}

static int read_corpus(const char *folder, struct corpus *corpus) {
	struct dirent **entries;
	struct ifr_error err = {0};
	int found = scandir(folder, &entries, NULL, alphasort), result = found < 0 ? -1 : 0;
	for (int i = 0; i < found; i++) {
		if (entries[i]->d_name[0] != '.' && !result) {
			corpus->names = ifr_realloc(corpus->names, corpus->count + 1, sizeof *corpus->names);
			corpus->inputs = ifr_realloc(corpus->inputs, corpus->count + 1, sizeof *corpus->inputs);
			char *path = corpus->names[corpus->count] = ifr_format("%s/%s", folder, entries[i]->d_name);
			ifr_buffer_init(&corpus->inputs[corpus->count]);
			result = ifr_file_read(path, INPUT_MAX_BYTES, &corpus->inputs[corpus->count++], &err);
		}
		free(entries[i]);
	}
	if (found >= 0)
		free(entries);
	return result || !corpus->count ? -1 : 0;
}

static void release_corpus(struct corpus *corpus) {
	for (size_t i = 0; i < corpus->count; i++) {
		free(corpus->names[i]);
		ifr_buffer_release(&corpus->inputs[i]);
	}
	free(corpus->names);
	free(corpus->inputs);
}

/* The random numbers of one mutation; they depend on its number alone. */
struct draws {
	uint64_t number, count;
};

static uint64_t below(struct draws *draws, uint64_t n) {
	return ifr_random_below(ifr_siphash(draws->number, draws->count++, "fuzz", 4), n);
}

/* Replaces length bytes at an offset by others. */
static void splice(struct ifr_buffer *input, size_t at, size_t length, const char *with, size_t with_length) {
	struct ifr_buffer made = {0};
	ifr_buffer_append(&made, input->data, at);
	ifr_buffer_append(&made, with, with_length);
	ifr_buffer_append(&made, input->data + at + length, input->length - at - length);
	ifr_buffer_release(input);
	*input = made;
}

static void insert_bytes(struct draws *draws, struct ifr_buffer *input, size_t at) {
	static const char *const tokens[] = {
		"\n", "0", "-1", "18446744073709551616", "/", "..", "\"", "=", " ", "\\", "#", "%s", "\xff", "\r\n"};
	char noise[8];
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (char)below(draws, 256);
	if (below(draws, 2)) {
		const char *token = tokens[below(draws, sizeof tokens / sizeof *tokens)];
		splice(input, at, 0, token, strlen(token));
	} else {
		splice(input, at, 0, noise, 1 + below(draws, sizeof noise));
	}
}

enum mutation { FLIP, REPLACE, INSERT, REMOVE, DUPLICATE, TRUNCATE, CROSS, MUTATIONS };

static void mutate(struct draws *draws, struct ifr_buffer *input, const struct corpus *corpus) {
	size_t at = below(draws, input->length + 1), left = input->length - at;
	size_t length = below(draws, (left < 64 ? left : 64) + 1);
	const struct ifr_buffer *other = &corpus->inputs[below(draws, corpus->count)];
	char chunk[64];
	switch ((enum mutation)below(draws, MUTATIONS)) {
	case FLIP:
		if (left)
			input->data[at] ^= (char)(1 << below(draws, 8));
		break;
	case REPLACE:
		if (left)
			input->data[at] = (char)below(draws, 256);
		break;
	case REMOVE:
		splice(input, at, length, "", 0);
		break;
	case DUPLICATE:
		if (length)
			memcpy(chunk, input->data + at, length);
		splice(input, below(draws, input->length + 1), 0, chunk, length);
		break;
	case TRUNCATE:
		splice(input, at, left, "", 0);
		break;
	case CROSS: {
		size_t from = below(draws, other->length + 1);
		splice(input, at, below(draws, 2) ? left : 0, ifr_buffer_text(other) + from, other->length - from);
		break;
	}
	default:
		insert_bytes(draws, input, at);
	}
}

static void run_mutation(const struct corpus *corpus, uint64_t number) {
	struct draws draws = {number, 0};
	size_t base = below(&draws, corpus->count), steps = 1 + below(&draws, 6);
	struct ifr_buffer input = {0};
	snprintf(running, sizeof running, "# running: mutation %llu, of %.400s\n", (unsigned long long)number,
	         corpus->names[base]);
	ifr_buffer_append(&input, corpus->inputs[base].data, corpus->inputs[base].length);
	if (ifr_fuzz_mutate && below(&draws, 4))
		ifr_fuzz_mutate(below(&draws, UINT64_MAX), &input);
	else
		for (size_t i = 0; i < steps && input.length < INPUT_MAX_BYTES; i++)
			mutate(&draws, &input, corpus);
	run_input(&input);
	ifr_buffer_release(&input);
}

static uint64_t read_variable(const char *variable, uint64_t otherwise) {
	const char *text = getenv(variable);
	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
	struct corpus corpus = {0};
	if (argc != 2 || read_corpus(argv[1], &corpus)) {
		printf("Bail out! usage: %s FOLDER-WITH-INPUTS\n", argv[0]);
		release_corpus(&corpus);
		return 2;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	install_handlers();
	for (size_t i = 0; i < corpus.count; i++) {
		snprintf(running, sizeof running, "# running: %.400s\n", corpus.names[i]);
		run_input(&corpus.inputs[i]);
	}
	printf("ok 1 - corpus of %zu files\n", corpus.count);
	uint64_t seconds = &ifr_fuzz_seconds ? at_depth(ifr_fuzz_seconds / 8, ifr_fuzz_seconds) : BUDGET_SECONDS;
	seconds = read_variable("FUZZ_SECONDS", seconds);
	bool timed = &ifr_fuzz_seconds || getenv("FUZZ_SECONDS");
	uint64_t runs = read_variable("FUZZ_RUNS", timed ? UINT64_MAX : at_depth(QUICK_RUNS, FULL_RUNS)),
			 first = read_variable("FUZZ_FIRST", 0), done = 0;
	time_t end = getenv("FUZZ_RUNS") ? 0 : time(NULL) + (time_t)seconds;
	for (; done < runs && (!end || time(NULL) < end); done++)
		run_mutation(&corpus, first + done);
	printf("ok 2 - %llu mutations\n1..2\n", (unsigned long long)done);
	release_corpus(&corpus);
	snprintf(running, sizeof running, "# running: the end\n");
	return 0;
}
