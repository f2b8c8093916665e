// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/crypt.h"

#include <stdio.h>
#include <string.h>

#include "lib/err.h"

static char complaint[ERR_TEXT_SIZE / 2];

void verity_crypt_cleanup(struct crypt_device **cd)
{
	crypt_free(*cd);
}

static void keep_complaint(int level, const char *message, void *data)
{
	(void)data;
	if (level == CRYPT_LOG_ERROR)
		snprintf(complaint, sizeof(complaint), "%.*s", (int)strcspn(message, "\n"),
			 message);
}

void verity_crypt_listen(void)
{
	complaint[0] = '\0';
	crypt_set_log_callback(NULL, keep_complaint, NULL);
}

const char *verity_crypt_complaint(void)
{
	return complaint;
}
