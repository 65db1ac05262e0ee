// SPDX-License-Identifier: GPL-3.0-or-later
/* Reads LLVM's scheduling models: a C interface (schedule.h) to the few classes of LLVM that hold them. */
#include "scripts/core_data/schedule.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>

#include <algorithm>
#include <cstring>

using namespace llvm;

struct ifr_schedule {
	const MCSubtargetInfo *target;
	const MCInstrInfo *instructions;
	const MCDisassembler *decoder;
};

/* Contexts and tables live until the program ends. */
struct ifr_schedule *ifr_schedule_open(const char *cpu) {
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86Disassembler();
	std::string problem;
	const char *const triple = "x86_64-linux-gnu";
	const Target *x86 = TargetRegistry::lookupTarget(triple, problem);
	MCSubtargetInfo *target = x86->createMCSubtargetInfo(triple, cpu, "");
	if (!target->isCPUStringValid(cpu))
		return nullptr;
	MCRegisterInfo *registers = x86->createMCRegInfo(triple);
	MCAsmInfo *assembler = x86->createMCAsmInfo(*registers, triple, MCTargetOptions());
	MCContext *context = new MCContext(Triple(triple), assembler, registers, target);
	return new ifr_schedule{target, x86->createMCInstrInfo(), x86->createMCDisassembler(*target, *context)};
}

static unsigned units_of(const MCSchedModel &model, unsigned resource, unsigned *units) {
	const MCProcResourceDesc *about = model.getProcResource(resource);
	if (!about->SubUnitsIdxBegin) {
		units[0] = resource;
		return 1;
	}
	for (unsigned i = 0; i < about->NumUnits; i++)
		units[i] = about->SubUnitsIdxBegin[i];
	return about->NumUnits;
}

static void add_resource(const MCSchedModel &model, unsigned resource, unsigned cycles, struct ifr_scheduled *to) {
	struct ifr_resource *made = &to->resources[to->count++];
	made->name = model.getProcResource(resource)->Name;
	made->cycles = cycles;
	unsigned units[32];
	made->units = units_of(model, resource, units);
	for (unsigned i = 0; i < made->units; i++)
		made->unit_names[i] = model.getProcResource(units[i])->Name;
}

static bool contains(const struct ifr_resource *group, const struct ifr_resource *part) {
	if (group->units < part->units)
		return false;
	for (unsigned i = 0; i < part->units; i++) {
		bool found = false;
		for (unsigned j = 0; j < group->units; j++)
			found = found || group->unit_names[j] == part->unit_names[i];
		if (!found)
			return false;
	}
	return true;
}

/* TableGen adds the cycles of each resource to every group that contains it: takes them off again, smallest first. */
static void undo_cascade(struct ifr_scheduled *to) {
	std::stable_sort(to->resources, to->resources + to->count,
	                 [](const ifr_resource &a, const ifr_resource &b) { return a.units < b.units; });
	for (unsigned i = 0; i < to->count; i++)
		for (unsigned j = i + 1; j < to->count; j++)
			if (contains(&to->resources[j], &to->resources[i]))
				to->resources[j].cycles -= std::min(to->resources[j].cycles, to->resources[i].cycles);
}

bool ifr_schedule_read(const struct ifr_schedule *from, const unsigned char *bytes, unsigned length,
                       struct ifr_scheduled *to) {
	MCInst inst;
	uint64_t size = 0;
	memset(to, 0, sizeof *to);
	if (from->decoder->getInstruction(inst, size, ArrayRef<uint8_t>(bytes, length), 0, nulls()) !=
	        MCDisassembler::Success ||
	    size != length)
		return false;
	const MCSchedModel &model = from->target->getSchedModel();
	unsigned id = from->instructions->get(inst.getOpcode()).getSchedClass();
	while (id && model.getSchedClassDesc(id)->isVariant())
		id = from->target->resolveVariantSchedClass(id, &inst, from->instructions, model.getProcessorID());
	const MCSchedClassDesc *scheduled = model.getSchedClassDesc(id);
	if (!id || !scheduled->isValid())
		return false;
	to->uops = scheduled->NumMicroOps;
	for (unsigned i = 0; i < scheduled->NumWriteLatencyEntries; i++)
		to->latency = std::max<int>(to->latency, from->target->getWriteLatencyEntry(scheduled, i)->Cycles);
	for (const MCWriteProcResEntry *entry = from->target->getWriteProcResBegin(scheduled),
	                               *end = from->target->getWriteProcResEnd(scheduled);
	     entry != end && to->count < IFR_SCHEDULED_RESOURCES; entry++)
		add_resource(model, entry->ProcResourceIdx, entry->Cycles, to);
	undo_cascade(to);
	return true;
}
