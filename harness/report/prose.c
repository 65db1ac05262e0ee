/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences and the numbers in them. */
#include "harness/report/prose.h"

void ifr_prose_end(struct ifr_prose *prose, enum ifr_prose_kind kind) {
	if (prose->text.length)
		prose->emit(prose->context, kind, ifr_buffer_text(&prose->text));
	ifr_buffer_clear(&prose->text);
}

void ifr_prose_say(struct ifr_prose *prose, enum ifr_prose_kind kind, const char *text) {
	prose->emit(prose->context, kind, text);
}

const char *ifr_prose_less(const struct ifr_analysis *analysis) {
	return ifr_counter_is_time(analysis->metric) ? "faster" : "lower";
}

const char *ifr_prose_more(const struct ifr_analysis *analysis) {
	return ifr_counter_is_time(analysis->metric) ? "slower" : "higher";
}

void ifr_prose_interval(struct ifr_prose *prose, const struct ifr_interval *pct) {
	struct ifr_buffer *text = &prose->text;
	bool lower = pct->low < 0 && pct->high < 0, crossing = !lower && pct->low < 0;
	ifr_buffer_printf(text, "%.4g %% interval ", 100 * pct->confidence);
	ifr_format_pct(text, lower ? pct->high : pct->low);
	ifr_buffer_printf(text, "%s%s to ", crossing ? " " : "", crossing ? ifr_prose_less(prose->analysis) : "");
	ifr_format_pct(text, lower ? pct->low : pct->high);
	ifr_buffer_printf(text, "%s%s", crossing ? " " : "", crossing ? ifr_prose_more(prose->analysis) : "");
}

bool ifr_prose_is_vague(const struct ifr_interval *pct, double difference_pct) {
	return pct->low <= 0 && pct->high >= 0 && ifr_format_is_vague(pct, difference_pct, 100 + difference_pct);
}

void ifr_prose_unbounded(struct ifr_prose *prose) {
	ifr_buffer_printf(&prose->text, "%zu layouts do not bound it", prose->analysis->random_count);
}

void ifr_prose_proportion(struct ifr_buffer *text, double pct) {
	if (pct > 99 && pct < 100)
		ifr_buffer_puts(text, "over 99 %");
	else
		ifr_buffer_printf(text, "%.0f %%", pct);
}
