/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_KATA_VERITY_H
#define MOUNT_DESCRIBE_KATA_VERITY_H

#include "mount/describe/hostile_json.h"
#include "verity/params.h"

/*
 * A volume's dm_verity into parameters that verity_params_init() has made: every number as
 * it stands there, none worked out from others. ROOT_HASH_MISSING, ROOT_HASH_INVALID,
 * VERITY_PARAMS_INVALID, and DESCRIPTION_INVALID for a member of another type. Pure.
 */
int kata_verity_read(struct json_object *object, struct verity_params *p, struct err *e);

#endif
