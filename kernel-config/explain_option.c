// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * explain_option OPTION...: why an option is not in .config, asked of Kconfig itself.
 *
 * Linked by configure.sh with the kernel's own objects of scripts/kconfig (all
 * but conf.o), and run where `make config` would run them: in the tree, with that
 * make's environment. One line for each OPTION, which is given without CONFIG_:
 *	CONFIG_X unknown
 *	CONFIG_X is "n"; depends on: Y [=n] && Z [=y]; ...
 */
#include <stdio.h>
#include <stdlib.h>

#include "lkc.h"

static bool has_prompt(const struct symbol *sym)
{
	const struct property *prop;

	for_all_prompts (sym, prop)
		return true;
	return false;
}

static void explain(const char *name)
{
	struct symbol *sym = sym_find(name);
	struct gstr depends;

	if (!sym || sym->type == S_UNKNOWN) {
		printf("CONFIG_%s unknown\n", name);
		return;
	}
	sym_calc_value(sym);
	printf("CONFIG_%s is \"%s\"", name, sym_get_string_value(sym));
	if (sym->dir_dep.expr) {
		depends = str_new();
		expr_gstr_print(sym->dir_dep.expr, &depends);
		printf("; depends on: %s", str_get(&depends));
		str_free(&depends);
	}
	if (!has_prompt(sym))
		printf("; cannot be asked for, only selected by other options");
	else if (sym->visible == no)
		printf("; its prompt is hidden by that");
	putchar('\n');
}

int main(int argc, char **argv)
{
	conf_parse("Kconfig");
	conf_read(".config");
	for (int i = 1; i < argc; i++)
		explain(argv[i]);
	return 0;
}
