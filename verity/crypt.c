// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/crypt.h"

#include <stdio.h>
#include <string.h>

void verity_crypt_cleanup(struct crypt_device **cd)
{
	crypt_free(*cd);
}

static void keep_complaint(int level, const char *message, void *data)
{
	struct verity_complaint *c = data;

	if (level == CRYPT_LOG_ERROR)
		snprintf(c->text, sizeof(c->text), "%.*s", (int)strcspn(message, "\n"), message);
}

void verity_crypt_listen(struct crypt_device *cd, struct verity_complaint *c)
{
	c->text[0] = '\0';
	crypt_set_log_callback(cd, keep_complaint, c);
}
