/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_MODULE_PARAMS_H
#define INIT_PLAN_MODULE_PARAMS_H

#include <stddef.h>

/*
 * Where the modules are in an initramfs, and the list of them there. Not /lib: the archive
 * may be unpacked over another whose /lib is a link, and a directory replaces a link.
 */
#define MODULES_DIR  "/etc/socle/modules"
#define MODULES_LIST "load"

/*
 * What a kernel command line says to a module: the kernel itself takes
 * MODULE.PARAMETER=VALUE only for what is built in, and leaves the rest to
 * whoever loads modules. file is the module's file name; "-" and "_" are the
 * same in a module's name. out becomes the text that finit_module(2) takes.
 * -E2BIG where it does not fit. cmdline is written to. Pure.
 *
 * Source: the kernel's Documentation/admin-guide/kernel-parameters.rst.
 */
int module_params(char *cmdline, const char *file, char *out, size_t size);

#endif
