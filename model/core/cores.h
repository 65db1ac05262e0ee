/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cores as the decoder knows them: ports and rules that hold for whole kinds of instructions. */
#ifndef IFR_MODEL_CORES_H
#define IFR_MODEL_CORES_H

#include <stdbool.h>
#include <stdint.h>

/* Generations whose rules differ. */
enum ifr_generation {
	IFR_SANDY_BRIDGE,
	IFR_IVY_BRIDGE,
	IFR_HASWELL,
	IFR_SKYLAKE,
	IFR_ICE_LAKE,
	IFR_GOLDEN_COVE,
	IFR_ZEN2,
	IFR_ZEN3,
	IFR_ZEN4,
	IFR_ZEN5
};

/* Machines of other instruction sets, whose units execute the operations of x86. */
enum ifr_simulated { IFR_SIMULATED_NONE, IFR_SIMULATED_FIELDS2004, IFR_SIMULATED_R10000, IFR_SIMULATED };

struct ifr_core_ports {
	uint16_t alu, vector, load, store_address, indexed_store, store_data, vector_store, jump, branch, lea,
		complex_lea;
};

struct ifr_core {
	const char *name;
	enum ifr_generation generation;
	unsigned column;       /* of instructions.txt */
	unsigned other_column; /* for instructions that the column lacks */
	struct ifr_core_ports ports;
	uint16_t taken_ports;           /* of branches that are taken; 0: those of others */
	uint8_t indexed_load;           /* latency of a load with an index or a far displacement, in addition */
	uint8_t vector_load, wide_load; /* the same of 128 bits, and of more */
	uint8_t complex_load;           /* the same with a scaled index, or with an index and a displacement */
	uint8_t extending_load;         /* the same that extends the sign, in addition to these */
	uint8_t late_index;             /* the same of such an index alone */
	uint8_t complex_lea_latency, lock_latency;
	bool eliminates_moves, eliminates_vector_moves;
	enum ifr_simulated simulated; /* the units of simulated_units.h, and nothing fuses */
};

/* Returns a core by name; NULL if there is none. ifr_core_number: the n-th, NULL behind the last. */
const struct ifr_core *ifr_core_find(const char *name);
const struct ifr_core *ifr_core_number(unsigned n);
bool ifr_core_is_amd(const struct ifr_core *core);
/* Returns the name of a port; NULL if the core has no such port. */
const char *ifr_core_port(const struct ifr_core *core, unsigned port);

#endif
