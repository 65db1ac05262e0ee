/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How every part of the harness prints: text from outside made harmless, symbols, lines of 80 columns, JSON documents. */
#ifndef IFR_HARNESS_OUTPUT_H
#define IFR_HARNESS_OUTPUT_H

#include "harness/output/escape.h"
#include "harness/output/html_style.h"
#include "harness/output/json.h"
#include "harness/output/symbol.h"
#include "harness/output/wrap.h"

#endif
