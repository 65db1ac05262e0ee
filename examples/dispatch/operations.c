/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "operations.h"

#define HANDLER(name) op_##name,
operation_handler *const operations[OP_COUNT] = {OPERATIONS(HANDLER)};
