// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* serve() alone, with mounts that only make a folder: see tests/check/call_serve.py. */
#include "mount/serve/serve.h"

#include <getopt.h>
#include <stdio.h>

#include "tests/unit/fake_socle.h"

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "bundles", required_argument, NULL, 'b' },
		{ "images", required_argument, NULL, 'i' },
		{ "initdata", required_argument, NULL, 'd' },
		{ "forward", required_argument, NULL, 'f' },
		{ "attestation", required_argument, NULL, 'a' },
		{ "pull-unknown", no_argument, NULL, 'u' },
		{ 0 },
	};
	struct serve_options options = { 0 };
	struct err e = { 0 };
	int option;

	fake_socle();
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
		if (option == 's')
			options.socket = optarg;
		else if (option == 'b')
			options.bundles = optarg;
		else if (option == 'i')
			options.images = optarg;
		else if (option == 'd')
			options.initdata = optarg;
		else if (option == 'f')
			options.forward = optarg;
		else if (option == 'a')
			options.attestation = optarg;
		else if (option == 'u')
			options.pull_unknown = true;
		else
			return 1;
	if (!serve(&options, &e))
		return 0;
	fprintf(stderr, "%s: %s\n", fail_name(e.code), e.text);
	return 5;
}
