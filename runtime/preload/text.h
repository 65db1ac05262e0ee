/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_RUNTIME_TEXT_H
#define IFR_RUNTIME_TEXT_H

/* Puts the whole huge pages among the program's text into memory of huge pages, at their addresses, and reports whether
 * the kernel gave any. Called before main. */
void text_use_huge_pages(void);

#endif
