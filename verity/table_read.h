/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_TABLE_READ_H
#define VERITY_TABLE_READ_H

#include "verity/params.h"
#include "verity/table.h"

/* Bytes of a device's number as a table has it, "254:16", with the NUL. */
#define VERITY_TABLE_DEVICE_SIZE 24

struct verity_table {
	struct verity_params params; /* but for FEC, which is among the optional words */
	char data[VERITY_TABLE_DEVICE_SIZE];
	char hash[VERITY_TABLE_DEVICE_SIZE];
};

/*
 * A line as device-mapper shows it (verity/table.h) into parameters. Pure.
 * VERITY_PARAMS_INVALID for a line of another shape.
 */
int verity_table_read(const char *line, struct verity_table *ret, struct err *e);

#endif
