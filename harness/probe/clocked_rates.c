/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core by the clock: rates of instructions and of mixes of two, which add up where they share a port; and whether a
 * load goes ahead of a store whose address is not known. */
#include "harness/probe/clocked.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

#include <stdlib.h>

enum { REPEATED = 64, TWICE = 2 };

/* Instructions that depend on none before. A key of NULL ends. */
#define SEQUENCE(key, instructions, experiment, ...) \
	{ key, instructions, sizeof(uint8_t[]){__VA_ARGS__}, {__VA_ARGS__}, experiment }
const struct probe_dependent probe_independents[] = {
	SEQUENCE("rate-lea", 1, "lea rax, [rsi+rcx]", 0x48, 0x8d, 0x04, 0x0e),
	SEQUENCE("rate-test", 1, "test rsi, rsi", 0x48, 0x85, 0xf6),
	SEQUENCE("rate-imul", 1, "imul rax, rsi, 3", 0x48, 0x6b, 0xc6, 3),
	SEQUENCE("rate-pshufd", 1, "pshufd xmm0, xmm1, 0", 0x66, 0x0f, 0x70, 0xc1, 0),
	SEQUENCE("rate-load", 1, "mov rax, [rsi]", 0x48, 0x8b, 0x06),
	SEQUENCE("rate-store", 1, "mov [rsi], rcx", 0x48, 0x89, 0x0e),
	SEQUENCE("rate-load-store", 2, "mov rax, [rsi+8]; mov [rsi], rcx", 0x48, 0x8b, 0x46, 8, 0x48, 0x89, 0x0e),
	SEQUENCE("rate-imul-pshufd", 2, "imul rax, rsi, 3; pshufd xmm0, xmm1, 0", 0x48, 0x6b, 0xc6, 3, 0x66, 0x0f,
             0x70, 0xc1, 0),
	SEQUENCE("rate-imul-test", 2, "imul rax, rsi, 3; test rsi, rsi", 0x48, 0x6b, 0xc6, 3, 0x48, 0x85, 0xf6),
	SEQUENCE("rate-test-load", 2, "test rsi, rsi; mov rax, [rsi]", 0x48, 0x85, 0xf6, 0x48, 0x8b, 0x06),
	SEQUENCE("rate-test-store", 2, "test rsi, rsi; mov [rsi], rcx", 0x48, 0x85, 0xf6, 0x48, 0x89, 0x0e),
	{NULL, 0, 0, {0}, NULL},
};
enum { INDEPENDENTS = sizeof probe_independents / sizeof *probe_independents - 1 };

static void add(struct probe_batch *batch, const struct probe_dependent *instructions, size_t count) {
	probe_repeat(probe_batch_add(batch),
	             &(struct probe_sequence){instructions->bytes, instructions->length, instructions->instructions},
	             count);
}

/* Of two loops, one of which is twice as long: so the loop's own instructions, which need ports, too, are not counted. */
static void tell_rates(struct probe_clocked *probe) {
	const char *keys[INDEPENDENTS + 1] = {NULL};
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	for (size_t i = 0; i < INDEPENDENTS; i++) {
		keys[i] = probe_independents[i].key;
		add(&batch, &probe_independents[i], REPEATED);
		add(&batch, &probe_independents[i], TWICE * REPEATED);
	}
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_CORE, keys))
		for (size_t i = 0; i < INDEPENDENTS; i++) {
			const struct probe_estimate cycles =
				probe_batch_difference(&batch, 2 * i + 2, TWICE * REPEATED, 2 * i + 1, REPEATED);
			const double count = REPEATED * probe_independents[i].instructions;
			const struct probe_estimate rate = {count / cycles.value, count / cycles.high, count / cycles.low,
			                                    cycles.told && cycles.low > 0};
			char *experiment = ifr_format("instructions of %s", probe_independents[i].experiment);
			probe_clocked_tell(probe, IFR_PROBE_CORE, keys[i], "a cycle", &rate, 0.1 * rate.value, experiment);
			free(experiment);
		}
	probe_batch_release(&batch);
}

/* xor edx, edx; imul rdx, rax, six times; a store; mov rax, [rsi]. With an address of rdx the store is known late, and
 * the next round's multiplications wait for the load. */
#define MULTIPLY 0x48, 0x0f, 0xaf, 0xd0
#define ROUND(...) \
	0x31, 0xd2, MULTIPLY, MULTIPLY, MULTIPLY, MULTIPLY, MULTIPLY, MULTIPLY, __VA_ARGS__, 0x48, 0x8b, 0x06
static const uint8_t known_late[] = {ROUND(0x48, 0x89, 0x4c, 0x16, 32)}; /* mov [rsi + rdx + 32], rcx */
static const uint8_t known[] = {ROUND(0x48, 0x89, 0x4e, 32)};            /* mov [rsi + 32], rcx */

static void tell_speculation(struct probe_clocked *probe) {
	static const char *const keys[] = {"loads-ahead-of-stores", NULL};
	enum { INSTRUCTIONS = 9 };
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	probe_repeat(probe_batch_add(&batch), &(struct probe_sequence){known, sizeof known, INSTRUCTIONS}, REPEATED);
	probe_repeat(probe_batch_add(&batch), &(struct probe_sequence){known_late, sizeof known_late, INSTRUCTIONS},
	             REPEATED);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_CORE, keys)) {
		const struct probe_estimate a = probe_batch_cycles(&batch, 1, 0), b = probe_batch_cycles(&batch, 2, 0);
		static const char experiment[] =
			"a load behind a store elsewhere, whose address takes six multiplications or is known at once";
		if (a.told && b.told && b.high < 1.4 * a.low)
			probe_tell_word(probe->result, IFR_PROBE_CORE, keys[0], "yes", experiment);
		else if (a.told && b.told && b.low > 1.8 * a.high)
			probe_tell_word(probe->result, IFR_PROBE_CORE, keys[0], "no", experiment);
		else
			probe_tell_nothing(probe->result, IFR_PROBE_CORE, keys[0], "%.3g and %.3g cycles: %s", b.value,
			                   a.value, experiment);
	}
	probe_batch_release(&batch);
}

void probe_clocked_rates(struct probe_clocked *probe) {
	tell_rates(probe);
	tell_speculation(probe);
}
