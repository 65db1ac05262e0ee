/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core behind the front end, by the clock: width, latencies of instructions, store forwarding. */
#include "harness/probe/clocked.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

#include <stdlib.h>

/* Each repetition depends on the one before. */
#define SEQUENCE(key, instructions, experiment, ...) \
	{ key, instructions, sizeof(uint8_t[]){__VA_ARGS__}, {__VA_ARGS__}, experiment }
const struct probe_dependent probe_dependents[] = {
	SEQUENCE("latency-adc", 1, "adc rax, rax", 0x48, 0x11, 0xc0),
	SEQUENCE("latency-lea", 1, "lea rax, [rax+rax+1]", 0x48, 0x8d, 0x44, 0, 1),
	SEQUENCE("latency-imul", 1, "imul rax, rax", 0x48, 0x0f, 0xaf, 0xc0),
	SEQUENCE("latency-div", 1, "div rcx, of 46 bits by 1", 0x48, 0xf7, 0xf1),
	SEQUENCE("latency-shl-cl", 1, "shl rax, cl", 0x48, 0xd3, 0xe0),
	SEQUENCE("latency-rol", 1, "rol rax, 1", 0x48, 0xd1, 0xc0),
	SEQUENCE("latency-bswap", 1, "bswap rax", 0x48, 0x0f, 0xc8),
	SEQUENCE("latency-bsf", 1, "bsf rax, rax", 0x48, 0x0f, 0xbc, 0xc0),
	SEQUENCE("latency-cmov", 1, "cmovz rax, rcx", 0x48, 0x0f, 0x44, 0xc1),
	SEQUENCE("latency-addsd", 1, "addsd xmm0, xmm1", 0xf2, 0x0f, 0x58, 0xc1),
	SEQUENCE("latency-mulsd", 1, "mulsd xmm0, xmm1", 0xf2, 0x0f, 0x59, 0xc1),
	SEQUENCE("latency-divsd", 1, "divsd xmm0, xmm1, of 1 by 1", 0xf2, 0x0f, 0x5e, 0xc1),
	SEQUENCE("latency-sqrtsd", 1, "sqrtsd xmm0, xmm0, of 1", 0xf2, 0x0f, 0x51, 0xc0),
	SEQUENCE("latency-paddd", 1, "paddd xmm0, xmm1", 0x66, 0x0f, 0xfe, 0xc1),
	SEQUENCE("latency-pmuludq", 1, "pmuludq xmm0, xmm1", 0x66, 0x0f, 0xf4, 0xc1),
	SEQUENCE("latency-shufps", 1, "shufps xmm0, xmm0, 0x1b", 0x0f, 0xc6, 0xc0, 0x1b),
	SEQUENCE("latency-movq-both", 2, "movq xmm0, rax; movq rax, xmm0", 0x66, 0x48, 0x0f, 0x6e, 0xc0, 0x66, 0x48,
             0x0f, 0x7e, 0xc0),
	SEQUENCE("latency-convert-both", 2, "cvtsi2sd xmm0, rax; cvttsd2si rax, xmm0", 0xf2, 0x48, 0x0f, 0x2a, 0xc0,
             0xf2, 0x48, 0x0f, 0x2c, 0xc0),
	SEQUENCE("latency-add", 1, "add rax, rsi", 0x48, 0x01, 0xf0),
	SEQUENCE("latency-add-constant", 1, "add rax, 1", 0x48, 0x83, 0xc0, 1),
	SEQUENCE("latency-neg", 1, "neg rax", 0x48, 0xf7, 0xd8),
	SEQUENCE("latency-xchg", 1, "xchg rax, rcx", 0x48, 0x91),
	SEQUENCE("latency-movsx", 1, "movsxd rax, eax", 0x48, 0x63, 0xc0),
	SEQUENCE("latency-sub-flags", 1, "sbb rax, rcx", 0x48, 0x19, 0xc8),
	SEQUENCE("latency-mul-high", 1, "mul rax", 0x48, 0xf7, 0xe0),
	SEQUENCE("latency-addps", 1, "addps xmm0, xmm1", 0x0f, 0x58, 0xc1),
	SEQUENCE("latency-mulps", 1, "mulps xmm0, xmm1", 0x0f, 0x59, 0xc1),
	SEQUENCE("latency-minsd", 1, "minsd xmm0, xmm1", 0xf2, 0x0f, 0x5d, 0xc1),
	SEQUENCE("latency-andps", 1, "andps xmm0, xmm1", 0x0f, 0x54, 0xc1),
	SEQUENCE("latency-psllq", 1, "psllq xmm0, 1", 0x66, 0x0f, 0x73, 0xf0, 1),
	SEQUENCE("latency-cvtss2sd-both", 2, "cvtsd2ss xmm0, xmm0; cvtss2sd xmm0, xmm0", 0xf2, 0x0f, 0x5a, 0xc0, 0xf3,
             0x0f, 0x5a, 0xc0),
	SEQUENCE("store-forward", 2, "mov [rsi], rax; mov rax, [rsi]", 0x48, 0x89, 0x06, 0x48, 0x8b, 0x06),
	SEQUENCE("store-forward-part", 2, "mov [rsi], rax; mov eax, [rsi+4]: a part of what is stored", 0x48, 0x89,
             0x06, 0x8b, 0x46, 4),
	SEQUENCE("store-forward-not", 2, "mov [rsi], eax; mov rax, [rsi]: more than what is stored", 0x89, 0x06, 0x48,
             0x8b, 0x06),
	{NULL, 0, 0, {0}, NULL},
};
enum { DEPENDENTS = sizeof probe_dependents / sizeof *probe_dependents - 1, REPEATED = 64 };

static void tell_latencies(struct probe_clocked *probe) {
	const char *keys[DEPENDENTS + 1] = {NULL};
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	for (size_t i = 0; i < DEPENDENTS; i++) {
		keys[i] = probe_dependents[i].key;
		probe_repeat(probe_batch_add(&batch),
		             &(struct probe_sequence){probe_dependents[i].bytes, probe_dependents[i].length,
		                                      probe_dependents[i].instructions},
		             REPEATED);
	}
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_CORE, keys))
		for (size_t i = 0; i < DEPENDENTS; i++) {
			const struct probe_estimate cycles = probe_batch_cycles(&batch, i + 1, 0);
			char *experiment = ifr_format("a chain of %s", probe_dependents[i].experiment);
			probe_clocked_tell(probe, IFR_PROBE_CORE, keys[i], "cycles", &cycles, 0.1 * cycles.value, experiment);
			free(experiment);
		}
	probe_batch_release(&batch);
}

/* Of so many instructions in a loop, those that execute in a cycle, from the cycles of one. The loop's dec and jnz are
 * slots, too: one where they fuse. */
static struct probe_estimate width_from(const struct probe_estimate *cycles, unsigned count) {
	return (struct probe_estimate){(count + 1.5) / (count * cycles->value), (count + 1.0) / (count * cycles->high),
	                               (count + 2.0) / (count * cycles->low), cycles->told};
}

/* Zeroed registers, which need slots and nothing else; cores fuse nops. Of 2 and of 5 bytes, and the faster ones count:
 * the front end may take longer than rename for many instructions a window (Zen 5: 6.1 a cycle of 2 bytes, 7.8 of 5), or
 * for many bytes. */
static void tell_width(struct probe_clocked *probe) {
	static const char *const keys[] = {"core.width", NULL};
	static const unsigned densities[] = {32, 12}; /* in 64 bytes */
	enum { DENSITIES = sizeof densities / sizeof *densities, WINDOWS = 21 };
	struct probe_batch batch;
	struct probe_estimate width = {0};
	double whole;
	probe_batch_init(&batch, false, probe->batch_ns);
	for (unsigned i = 0; i < DENSITIES; i++)
		probe_zeroed(probe_batch_add(&batch), WINDOWS, densities[i]);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_CORE, keys)) {
		for (unsigned i = 0; i < DENSITIES; i++) {
			const struct probe_estimate cycles = probe_batch_cycles(&batch, i + 1, 0),
										of_density = width_from(&cycles, WINDOWS * densities[i]);
			if (of_density.value > width.value)
				width = of_density;
		}
		if (probe_estimate_whole(&width, 0.5, &whole))
			probe_tell_interval(probe->result, IFR_PROBE_CORE, keys[0], "",
			                    (double[]){whole, width.low, width.high},
			                    "xor eax, eax that execute in a cycle, in loops of 32 and 12 in each 64 bytes");
		else
			probe_tell_nothing(
				probe->result, IFR_PROBE_CORE, keys[0],
				"%.3g to %.3g of xor eax, eax execute in a cycle, in loops of 32 and 12 in each 64 bytes",
				width.low, width.high);
	}
	probe_batch_release(&batch);
}

void probe_clocked_backend(struct probe_clocked *probe) {
	tell_width(probe);
	tell_latencies(probe);
	probe_clocked_rates(probe);
	probe_clocked_queues(probe);
}
