// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/refusal.h"

void out_refusal(struct out *o, const char *step, const char *volume, const char *code,
		 const char *message)
{
	out_printf(o, "{\"error\":{\"code\":\"%s\",\"step\":\"%s\",\"volume\":", code, step);
	if (*volume)
		out_string(o, volume);
	else
		out_printf(o, "null");
	out_printf(o, ",\"message\":");
	out_string(o, message);
	out_printf(o, "}}\n");
}
