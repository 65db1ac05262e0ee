/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A section of notes is read to its end or refused; each note that is read can be printed. */
#include <assert.h>
#include <string.h>

#include "compiletime/compiletime.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	struct ifr_note note;
	struct ifr_error err = {0};
	size_t offset = 0, last = 0;
	int result;
	while ((result = ifr_note_next(data, size, &offset, &note, &err)) > 0) {
		struct ifr_buffer text = {0};
		assert(offset > last && offset <= size);
		last = offset;
		ifr_note_print(&note, &text);
		assert(!strncmp(ifr_buffer_text(&text), "interfero-note ", 15));
		ifr_buffer_release(&text);
		ifr_note_release(&note);
	}
	assert(!result || (result == -IFR_E_USAGE && *err.message));
	return 0;
}
