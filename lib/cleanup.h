/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_CLEANUP_H
#define LIB_CLEANUP_H

#include <unistd.h>

/* Close a descriptor when its variable goes out of scope; -1 is none. */
static inline void cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define auto_fd __attribute__((cleanup(cleanup_fd)))

/* Hand a descriptor on to somebody who will close it. */
static inline int steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

#endif
