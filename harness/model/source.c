/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/model/source.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>

#include "common/file.h"

static Dwfl_Module *open_module(Dwfl **dwfl, const char *file) {
	static char *no_paths;
	static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
	                                         .section_address = dwfl_offline_section_address,
	                                         .debuginfo_path = &no_paths};
	*dwfl = dwfl_begin(&callbacks);
	if (!*dwfl)
		return NULL;
	dwfl_report_begin(*dwfl);
	Dwfl_Module *module = dwfl_report_elf(*dwfl, file, file, -1, 0, false);
	dwfl_report_end(*dwfl, NULL, NULL);
	return module;
}

void ifr_source_describe(const char *file, uint64_t address, struct ifr_buffer *text) {
	Dwfl *dwfl = NULL;
	Dwfl_Module *module = *file ? open_module(&dwfl, file) : NULL;
	GElf_Sym symbol;
	GElf_Off offset = 0;
	int line = 0;
	const char *name = module ? dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) : NULL;
	Dwfl_Line *at = module ? dwfl_module_getsrc(module, address) : NULL;
	const char *source = at ? dwfl_lineinfo(at, NULL, &line, NULL, NULL, NULL) : NULL;
	if (name)
		ifr_buffer_puts(text, name);
	else
		ifr_buffer_printf(text, "0x%" PRIx64, address);
	if (name && !source && offset)
		ifr_buffer_printf(text, "+0x%" PRIx64, (uint64_t)offset);
	if (source)
		ifr_buffer_printf(text, " (%s:%d)", ifr_path_base(source), line);
	if (*file)
		ifr_buffer_printf(text, " in %s", ifr_path_base(file));
	if (dwfl)
		dwfl_end(dwfl);
}
