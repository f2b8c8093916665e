/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_ROOT_INTERPRETER_H
#define INIT_ROOT_INTERPRETER_H

/*
 * What the kernel starts to execute a file: the loader that an ELF program names
 * (PT_INTERP), or the program in the first line of a script. Where it is missing,
 * execve(2) says "No such file or directory" of a file that is there.
 *
 * Sources: the kernel's fs/binfmt_elf.c and fs/binfmt_script.c.
 */

#define INTERPRETER_SIZE 256 /* bytes of its path, with the NUL: BINPRM_BUF_SIZE */

/* fd is the file. Its path, or NULL where it needs none or that cannot be told. */
const char *interpreter_of(int fd, char path[INTERPRETER_SIZE]);

#endif
