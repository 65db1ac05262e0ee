/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The style of all pages. */
#ifndef IFR_HARNESS_HTML_STYLE_H
#define IFR_HARNESS_HTML_STYLE_H

/* CSS, for a <style> element. */
extern const char ifr_html_style[];

#endif
