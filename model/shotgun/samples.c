/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text: "instructions N", then lines of three kinds, numbers in hexadecimal but for counts.
 *
 *   place AT ADDRESS
 *   signature AT DIGITS     a digit for each instruction, 0 to f: bit n counts 2^(n - 1)
 *   detail AT NEXT DOES SUFFERS PARITY FLAGS BTB LINE-WAIT PAGE-WAIT [unknown=UNKNOWN:ABSENT]
 *          { IN-PAGE:LEVEL:BEFORE:OFFSET:OF } */
#include "model/shotgun/samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ifr_shotgun_samples_release(struct ifr_shotgun_samples *samples) {
	free(samples->places);
	free(samples->signatures);
	free(samples->details);
	free(samples->bits);
	*samples = (struct ifr_shotgun_samples){0};
}

static void *grow(void *items, size_t count, size_t *room, size_t size) {
	if (count < *room)
		return items;
	*room = 2 * count + 64;
	return ifr_realloc(items, *room, size);
}

void ifr_shotgun_add_place(struct ifr_shotgun_samples *samples, uint64_t at, uint64_t address) {
	samples->places = grow(samples->places, samples->places_count, &samples->places_room, sizeof *samples->places);
	samples->places[samples->places_count++] = (struct ifr_shotgun_place){at, address};
}

void ifr_shotgun_begin_signature(struct ifr_shotgun_samples *samples, uint64_t at, bool head) {
	samples->signatures = grow(samples->signatures, samples->signatures_count, &samples->signatures_room,
	                           sizeof *samples->signatures);
	samples->signatures[samples->signatures_count++] =
		(struct ifr_shotgun_signature){.at = at, .head = head, .first = (uint32_t)samples->bits_count};
}

void ifr_shotgun_add_bits(struct ifr_shotgun_samples *samples, uint8_t bits) {
	samples->bits = grow(samples->bits, samples->bits_count, &samples->bits_room, 1);
	samples->bits[samples->bits_count++] = bits;
	samples->signatures[samples->signatures_count - 1].count++;
}

void ifr_shotgun_drop_signature(struct ifr_shotgun_samples *samples) {
	samples->bits_count = samples->signatures[--samples->signatures_count].first;
}

void ifr_shotgun_add_detail(struct ifr_shotgun_samples *samples, const struct ifr_shotgun_detail *detail) {
	samples->details =
		grow(samples->details, samples->details_count, &samples->details_room, sizeof *samples->details);
	samples->details[samples->details_count++] = *detail;
}

/* --- text ------------------------------------------------------------------------------------------------------- */

static void print_detail(const struct ifr_shotgun_detail *detail, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "detail %" PRIx64 " %" PRIx64 " %x %x %x %x %x %u %u", detail->at, detail->next,
	                  detail->does, detail->suffers, detail->parity, detail->flags, detail->btb, detail->line_wait,
	                  detail->page_wait);
	if (detail->unknown | detail->absent)
		ifr_buffer_printf(out, " unknown=%x:%x", detail->unknown, detail->absent);
	for (unsigned i = 0; i < detail->accesses; i++) {
		const struct ifr_shotgun_access *access = &detail->access[i];
		ifr_buffer_printf(out, " %x:%x:%u:%d:%" PRIx64, access->in_page, access->level, access->before,
		                  access->offset, access->of);
	}
	ifr_buffer_puts(out, "\n");
}

void ifr_shotgun_samples_print(const struct ifr_shotgun_samples *samples, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "instructions %" PRIu64 "\n", samples->instructions);
	for (size_t i = 0; i < samples->places_count; i++)
		ifr_buffer_printf(out, "place %" PRIx64 " %" PRIx64 "\n", samples->places[i].at,
		                  samples->places[i].address);
	for (size_t i = 0; i < samples->signatures_count; i++) {
		const struct ifr_shotgun_signature *signature = &samples->signatures[i];
		static const char digits[] = "0123456789abcdef";
		ifr_buffer_printf(out, "%s %" PRIx64 " ", signature->head ? "head" : "signature", signature->at);
		for (size_t k = 0; k < signature->count; k++)
			ifr_buffer_append(out, &digits[samples->bits[signature->first + k] & 15], 1);
		ifr_buffer_puts(out, "\n");
	}
	for (size_t i = 0; i < samples->details_count; i++)
		print_detail(&samples->details[i], out);
}

static bool parse_signature(const char *line, bool head, struct ifr_shotgun_samples *samples) {
	char *end;
	const uint64_t at = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1] || end[1 + strspn(end + 1, "0123456789abcdef")])
		return false;
	ifr_shotgun_begin_signature(samples, at, head);
	for (const char *digit = end + 1; *digit; digit++)
		ifr_shotgun_add_bits(samples, (uint8_t)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10));
	return true;
}

static bool parse_accesses(const char *at, struct ifr_shotgun_detail *detail) {
	unsigned in_page, level, before;
	uint64_t of;
	int offset, length;
	for (; *at; at += length) {
		if (detail->accesses == IFR_SHOTGUN_ACCESSES ||
		    sscanf(at, " %x:%x:%u:%d:%" SCNx64 "%n", &in_page, &level, &before, &offset, &of, &length) < 5 ||
		    in_page > 4095 || level > 15 || before > UINT16_MAX || offset != (int16_t)offset)
			return false;
		detail->access[detail->accesses++] =
			(struct ifr_shotgun_access){of, (uint16_t)in_page, (uint16_t)before, (int16_t)offset, (uint8_t)level};
	}
	return true;
}

static bool parse_detail(const char *line, struct ifr_shotgun_samples *samples) {
	struct ifr_shotgun_detail detail = {0};
	unsigned flags, btb, line_wait, page_wait;
	int length = 0, more = 0;
	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx32 " %" SCNx32 " %" SCNx32 " %x %x %u %u%n", &detail.at,
	           &detail.next, &detail.does, &detail.suffers, &detail.parity, &flags, &btb, &line_wait, &page_wait,
	           &length) < 9)
		return false;
	if (sscanf(line + length, " unknown=%" SCNx32 ":%" SCNx32 "%n", &detail.unknown, &detail.absent, &more) == 2)
		length += more;
	if (flags > 7 || btb > 3 || line_wait > UINT16_MAX || page_wait > UINT16_MAX ||
	    (detail.does | detail.suffers | detail.parity | detail.unknown | detail.absent) >> IFR_SHOTGUN_BITS ||
	    !parse_accesses(line + length, &detail))
		return false;
	detail.flags = (uint8_t)flags;
	detail.btb = (uint8_t)btb;
	detail.line_wait = (uint16_t)line_wait;
	detail.page_wait = (uint16_t)page_wait;
	ifr_shotgun_add_detail(samples, &detail);
	return true;
}

static bool parse_line(char *line, void *into) {
	struct ifr_shotgun_samples *samples = into;
	char end;
	uint64_t at, address;
	if (sscanf(line, "place %" SCNx64 " %" SCNx64 "%c", &at, &address, &end) == 2) {
		ifr_shotgun_add_place(samples, at, address);
		return true;
	}
	if (!strncmp(line, "signature ", 10))
		return parse_signature(line + 10, false, samples);
	if (!strncmp(line, "head ", 5))
		return parse_signature(line + 5, true, samples);
	if (!strncmp(line, "detail ", 7))
		return parse_detail(line + 7, samples);
	return sscanf(line, "instructions %" SCNu64 "%c", &samples->instructions, &end) == 1;
}

int ifr_shotgun_parse_lines(const char *text, const char *name, bool (*parse)(char *line, void *into), void *into,
                            const char *remedy, struct ifr_error *err) {
	struct ifr_buffer line = {0};
	int result = 0;
	for (size_t number = 1; *text && !result; number++) {
		const size_t length = strcspn(text, "\n");
		ifr_buffer_clear(&line);
		ifr_buffer_append(&line, text, length);
		ifr_buffer_text(&line);
		if (length && !parse((char *)line.data, into))
			result = ifr_fail(err, IFR_E_USAGE, "%s:%zu: no line of samples%s", name, number, remedy);
		text += length + (text[length] == '\n');
	}
	ifr_buffer_release(&line);
	return result;
}

int ifr_shotgun_samples_parse(const char *text, const char *name, struct ifr_shotgun_samples *samples,
                              struct ifr_error *err) {
	*samples = (struct ifr_shotgun_samples){0};
	return ifr_shotgun_parse_lines(text, name, parse_line, samples,
	                               " (place, signature, detail): take a file of icost --save-samples", err);
}
