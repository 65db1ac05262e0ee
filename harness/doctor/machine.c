/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the processor and of everything that changes its speed during a run. */
#include "harness/doctor/doctor.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/counters/counters.h"
#include "harness/exec/exec.h"
#include "model/model.h"

#define CPU_FOLDER "/sys/devices/system/cpu/"

static void check_processor(struct ifr_checkup *checkup) {
	cpu_set_t allowed;
	char *model = ifr_host_processor(), *part = NULL;
	int usable = sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : CPU_COUNT(&allowed);
	if (usable < sysconf(_SC_NPROCESSORS_ONLN))
		part = ifr_format(", %d of them for this process", usable);
	ifr_checkup_add(checkup, "processor", usable > 1 ? IFR_CHECK_OK : IFR_CHECK_WARN,
	                "let this process run on two processors or more: the program gets one for itself then", "%s%s",
	                model, part ? part : "");
	free(part);
	free(model);
}

/* The usual name of a hypervisor by its signature in CPUID leaf 0x40000000. Ref: the interface specification of
 * each hypervisor. */
static const char *hypervisor_name(const char *signature) {
	static const char *const names[][2] = {{"KVMKVMKVM", "KVM"},
	                                       {"VMwareVMware", "VMware"},
	                                       {"Microsoft Hv", "Hyper-V"},
	                                       {"XenVMMXenVMM", "Xen"},
	                                       {"TCGTCGTCGTCG", "QEMU"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(signature, names[i][0]))
			return names[i][1];
	return *signature ? signature : "an unnamed hypervisor";
}

static void check_virtualisation(struct ifr_checkup *checkup) {
	char name[IFR_HYPERVISOR_NAME_BYTES];
	bool virtual = ifr_machine_hypervisor(name), container = ifr_machine_container();
	const char *inside = container ? ", inside a container" : "";
	if (virtual)
		ifr_checkup_add(checkup, "virtual machine", IFR_CHECK_WARN,
		                "measure on a physical machine if the noise below is too high", "yes, under %s%s",
		                hypervisor_name(name), inside);
	else
		ifr_checkup_add(checkup, "virtual machine", IFR_CHECK_OK, "", "no%s", inside);
}

static void check_governor(struct ifr_checkup *checkup) {
	char word[32];
	if (!ifr_machine_word(CPU_FOLDER "cpu0/cpufreq/scaling_governor", word, sizeof word))
		ifr_checkup_add(checkup, "governor", IFR_CHECK_OK, "", "not visible here%s",
		                ifr_machine_hypervisor(NULL) ? ", as usual in virtual machines: the host decides" : "");
	else
		ifr_checkup_add(checkup, "governor", strcmp(word, "performance") ? IFR_CHECK_WARN : IFR_CHECK_OK,
		                "as root: cpupower frequency-set -g performance", "%s", word);
}

/* 1: on, 0: off, -1: not visible; off gets the command that switches it off. */
static long read_turbo(const char **off) {
	long no_turbo = ifr_machine_number(CPU_FOLDER "intel_pstate/no_turbo", -1);
	*off = "as root: echo 1 > " CPU_FOLDER "intel_pstate/no_turbo";
	if (no_turbo >= 0)
		return !no_turbo;
	*off = "as root: echo 0 > " CPU_FOLDER "cpufreq/boost";
	return ifr_machine_number(CPU_FOLDER "cpufreq/boost", -1);
}

static void check_turbo(struct ifr_checkup *checkup) {
	const char *off;
	long on = read_turbo(&off);
	if (on < 0)
		ifr_checkup_add(checkup, "turbo", IFR_CHECK_OK, "", "not visible here%s",
		                ifr_machine_hypervisor(NULL) ? ", as usual in virtual machines: the host decides" : "");
	else
		ifr_checkup_add(checkup, "turbo", on ? IFR_CHECK_WARN : IFR_CHECK_OK, off,
		                on ? "on: the frequency depends on temperature and on the other cores" : "off");
}

static void check_smt(struct ifr_checkup *checkup) {
	long active = ifr_machine_number(CPU_FOLDER "smt/active", -1);
	if (active < 0)
		ifr_checkup_add(checkup, "SMT", IFR_CHECK_OK, "", "not visible here");
	else
		ifr_checkup_add(checkup, "SMT", active ? IFR_CHECK_WARN : IFR_CHECK_OK,
		                "as root: echo off > " CPU_FOLDER "smt/control",
		                active ? "on: a neighbour thread shares the measured core's caches and predictors"
		                       : "off");
}

static void check_tsc(struct ifr_checkup *checkup) {
	bool invariant = ifr_machine_tsc_invariant();
	ifr_checkup_add(checkup, "time-stamp counter", invariant ? IFR_CHECK_OK : IFR_CHECK_WARN,
	                "trust duration_time, not tsc",
	                invariant ? "invariant" : "not said to be invariant: its rate may follow the frequency");
}

/* The description that --machine native takes. */
static void check_description(struct ifr_checkup *checkup) {
	char *resolved = NULL, *note = NULL;
	struct ifr_machine *machine = NULL;
	struct ifr_error err = {0};
	int rc = ifr_machine_resolve("native", &resolved, &note, &err);
	if (!rc)
		rc = ifr_machine_open(&machine, resolved, &err);
	if (rc)
		ifr_checkup_add(checkup, "description", IFR_CHECK_WARN,
		                "name a described machine, or its file, to replay: --machine native is none here", "%s",
		                err.message);
	else
		ifr_checkup_add(checkup, "description", IFR_CHECK_OK, "", "%s", note);
	ifr_machine_free(machine);
	free(note);
	free(resolved);
}

void ifr_checkup_machine(struct ifr_checkup *checkup) {
	check_processor(checkup);
	check_virtualisation(checkup);
	check_governor(checkup);
	check_turbo(checkup);
	check_smt(checkup);
	check_tsc(checkup);
	check_description(checkup);
}
