/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ref: Intel 64 and IA-32 Architectures Optimization Reference Manual, chapters on each microarchitecture (ports). AMD,
 * Software Optimization Guides 56305 (Zen 2), 56665 (Zen 3), 57647 (Zen 4) (units). A. Abel and J. Reineke, uops.info,
 * 2019 (indexed stores, latencies of loads). A. Fog, microarchitecture.pdf (elimination of moves). LLVM's Alder Lake has
 * no AVX-512: goldencove takes Ice Lake's there. Zen 5: zen5_units.c. */
#include "model/core/cores.h"

#include <stddef.h>
#include <string.h>

#define BIT(n) (1U << (n))

/* AMD: integer units 0 to 3, address units 4 to 6, the second branch unit 7, vector units 8 to 11, their stores 12. Zen 5
 * has the second unit for vector stores at 7, two further integer units at 13 and 14, and an address unit at 15. */
static const struct ifr_core cores[] = {
	{.name = "sandybridge",
     .generation = IFR_SANDY_BRIDGE,
     .column = 0,
     .other_column = 0,
     .ports = {0x23, 0x23, 0xc, 0xc, 0xc, 0x10, 0x10, 0x20, 0x20, 0x3, 0x2},
     .indexed_load = 1,
     .vector_load = 2,
     .wide_load = 3,
     .complex_lea_latency = 3,
     .lock_latency = 18},
	{.name = "ivybridge",
     .generation = IFR_IVY_BRIDGE,
     .column = 0,
     .other_column = 0,
     .ports = {0x23, 0x23, 0xc, 0xc, 0xc, 0x10, 0x10, 0x20, 0x20, 0x3, 0x2},
     .indexed_load = 1,
     .vector_load = 2,
     .wide_load = 3,
     .complex_lea_latency = 3,
     .lock_latency = 18,
     .eliminates_moves = true,
     .eliminates_vector_moves = true},
	{.name = "haswell",
     .generation = IFR_HASWELL,
     .column = 1,
     .other_column = 1,
     .ports = {0x63, 0x23, 0xc, 0x8c, 0xc, 0x10, 0x10, 0x40, 0x40, 0x22, 0x2},
     .indexed_load = 1,
     .vector_load = 2,
     .wide_load = 3,
     .complex_lea_latency = 3,
     .lock_latency = 18,
     .eliminates_moves = true,
     .eliminates_vector_moves = true},
	{.name = "skylake",
     .generation = IFR_SKYLAKE,
     .column = 2,
     .other_column = 2,
     .ports = {0x63, 0x23, 0xc, 0x8c, 0xc, 0x10, 0x10, 0x40, 0x40, 0x22, 0x2},
     .indexed_load = 1,
     .vector_load = 2,
     .wide_load = 3,
     .complex_lea_latency = 3,
     .lock_latency = 18,
     .eliminates_moves = true,
     .eliminates_vector_moves = true},
	{.name = "skylake-avx512",
     .generation = IFR_SKYLAKE,
     .column = 3,
     .other_column = 3,
     .ports = {0x63, 0x23, 0xc, 0x8c, 0xc, 0x10, 0x10, 0x40, 0x40, 0x22, 0x2},
     .indexed_load = 1,
     .vector_load = 2,
     .wide_load = 3,
     .complex_lea_latency = 3,
     .lock_latency = 18,
     .eliminates_moves = true,
     .eliminates_vector_moves = true},
	{.name = "icelake",
     .generation = IFR_ICE_LAKE,
     .column = 4,
     .other_column = 4,
     .ports = {0x63, 0x23, 0xc, 0x180, 0x180, 0x210, 0x210, 0x40, 0x40, 0x63, 0x22},
     .vector_load = 1,
     .wide_load = 2,
     .complex_lea_latency = 1,
     .lock_latency = 18,
     .eliminates_vector_moves = true},
	{.name = "goldencove",
     .generation = IFR_GOLDEN_COVE,
     .column = 5,
     .other_column = 4,
     .ports = {0x463, 0x23, 0x80c, 0x180, 0x180, 0x210, 0x210, 0x40, 0x40, 0x463, 0x422},
     .vector_load = 1,
     .wide_load = 2,
     .complex_lea_latency = 2,
     .lock_latency = 18,
     .eliminates_moves = true,
     .eliminates_vector_moves = true},
	{.name = "zen2",
     .generation = IFR_ZEN2,
     .column = 6,
     .other_column = 6,
     .ports = {0xf, 0xf00, 0x30, 0x70, 0x70, 0, BIT(10), 0x9, 0x9, 0xf, 0xf},
     .vector_load = 3,
     .wide_load = 3,
     .complex_lea_latency = 2,
     .lock_latency = 16,
     .eliminates_moves = true,
     .eliminates_vector_moves = true},
	{.name = "zen3",
     .generation = IFR_ZEN3,
     .column = 7,
     .other_column = 7,
     .ports = {0xf, 0xf00, 0x70, 0x70, 0x70, 0, BIT(12), 0x81, 0x81, 0xf, 0xf},
     .vector_load = 3,
     .wide_load = 3,
     .complex_lea_latency = 2,
     .lock_latency = 7,
     .eliminates_moves = true,
     .eliminates_vector_moves = true},
	/* Taken branches, by the clock: a loop of 3 to 7 additions, n, takes (n + 1) / 4 cycles, so that its own branch takes
     * one of the four ALUs. */
	{.name = "zen4",
     .generation = IFR_ZEN4,
     .column = 8,
     .other_column = 8,
     .ports = {0xf, 0xf00, 0x70, 0x70, 0x70, 0, BIT(12), 0x81, 0x81, 0xf, 0xf},
     .taken_ports = BIT(0),
     .vector_load = 3,
     .wide_load = 3,
     .complex_load = 1,
     .extending_load = 1,
     .complex_lea_latency = 2,
     .lock_latency = 7,
     .eliminates_moves = true,
     .eliminates_vector_moves = true},
	{.name = "zen5",
     .generation = IFR_ZEN5,
     .column = 8,
     .other_column = 8,
     .ports = {0x600f, 0xf00, 0x8070, 0x8040, 0x8040, 0, 0x1080, 0x6008, 0x6008, 0x600f, 0x3},
     .vector_load = 2,
     .wide_load = 2,
     .extending_load = 1,
     .late_index = 1,
     .complex_lea_latency = 2,
     .lock_latency = 13,
     .eliminates_moves = true,
     .eliminates_vector_moves = true},
	{.name = "fields2004",
     .generation = IFR_SKYLAKE,
     .column = 2,
     .other_column = 2,
     .ports = {0x3f, 0x300, 0x7000, 0x7000, 0x7000, 0x8000, 0x8000, 0x3f, 0x3f, 0x3f, 0x3f},
     .complex_lea_latency = 1,
     .lock_latency = 1,
     .simulated = IFR_SIMULATED_FIELDS2004},
	{.name = "r10000",
     .generation = IFR_SKYLAKE,
     .column = 2,
     .other_column = 2,
     .ports = {0x3, 0x4, 0x10, 0x10, 0x10, 0x20, 0x20, 0x1, 0x1, 0x3, 0x3},
     .complex_lea_latency = 1,
     .lock_latency = 1,
     .simulated = IFR_SIMULATED_R10000},
};

const struct ifr_core *ifr_core_number(unsigned n) {
	return n < sizeof cores / sizeof *cores ? &cores[n] : NULL;
}

const struct ifr_core *ifr_core_find(const char *name) {
	for (unsigned i = 0; i < sizeof cores / sizeof *cores; i++)
		if (!strcmp(cores[i].name, name))
			return &cores[i];
	return NULL;
}

bool ifr_core_is_amd(const struct ifr_core *core) {
	return core->generation >= IFR_ZEN2;
}

const char *ifr_core_port(const struct ifr_core *core, unsigned port) {
	static const char *const intel[] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11"},
							 *const amd[] = {"alu0", "alu1", "alu2", "alu3", "agu0", "agu1", "agu2",
	                                         "br1",  "fp0",  "fp1",  "fp2",  "fp3",  "fp45"},
							 *const zen5[] = {"alu0", "alu1", "alu2", "alu3", "agu0", "agu1", "agu2", "fp67",
	                                          "fp0",  "fp1",  "fp2",  "fp3",  "fp45", "alu4", "alu5", "agu3"},
							 *const simulated[] = {"alu0",    "alu1",    "alu2",    "alu3",  "alu4",  "alu5",
	                                               "mul0",    "mul1",    "fadd0",   "fadd1", "fmul0", "fmul1",
	                                               "memory0", "memory1", "memory2", "data"},
							 *const mips[] = {"alu1", "alu2", "fadd", "fmul", "memory", "data"};
	if (core->simulated == IFR_SIMULATED_R10000)
		return port < sizeof mips / sizeof *mips ? mips[port] : NULL;
	if (core->simulated)
		return port < sizeof simulated / sizeof *simulated ? simulated[port] : NULL;
	if (core->generation == IFR_ZEN5)
		return port < sizeof zen5 / sizeof *zen5 ? zen5[port] : NULL;
	unsigned count = core->generation < IFR_HASWELL       ? 6
	                 : core->generation < IFR_ICE_LAKE    ? 8
	                 : core->generation < IFR_GOLDEN_COVE ? 10
	                                                      : 12;
	if (ifr_core_is_amd(core))
		return port < sizeof amd / sizeof *amd && (port != 7 || core->generation > IFR_ZEN2) &&
		               (port != 12 || core->generation > IFR_ZEN2)
		           ? amd[port]
		           : NULL;
	return port < count ? intel[port] : NULL;
}
