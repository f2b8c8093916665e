// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/listener.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "lib/cleanup.h"
#include "lib/sys.h"
#include "lib/text.h"
#include "mount/fs/make.h"

#define BACKLOG 64     /* a full one refuses who does not wait */
#define NEW     ".new" /* behind the path, while it does not listen yet */

static int make_address(const char *path, struct sockaddr_un *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(ret->sun_path))
		return -ENAMETOOLONG;
	strcpy(ret->sun_path, path);
	return 0;
}

static int make_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int listener_connect(const char *path, int *ret_fd)
{
	struct sockaddr_un address;
	auto_fd int fd = -1;
	int r = make_address(path, &address);

	if (r)
		return r;
	fd = make_socket();
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* What is in the way may only be a socket on which nobody answers. */
static int check_old(const char *path, struct err *e)
{
	auto_fd int fd = -1;
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 :
					 err_errno(e, FAIL_SYSTEM_CALL_FAILED, "look at %s", path);
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, FAIL_SYSTEM_CALL_FAILED, EEXIST,
			       "%s is there and is not a socket", path);
	if (!listener_connect(path, &fd))
		return err_set(e, FAIL_SYSTEM_CALL_FAILED, EADDRINUSE,
			       "somebody listens on %s already", path);
	return 0;
}

/*
 * The mode of the socket is that of the node that bind() makes (net/unix/af_unix.c), so at
 * no moment anybody else may connect. rename() puts it in the place of an old one at once.
 */
static int listen_on(int fd, const struct sockaddr_un *fresh, const char *path, struct err *e)
{
	if (sys_unlinkat(AT_FDCWD, fresh->sun_path, 0) && errno != ENOENT)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "remove %s", fresh->sun_path);
	if (sys_fchmod(fd, 0600) || bind(fd, (const struct sockaddr *)fresh, sizeof(*fresh)) ||
	    listen(fd, BACKLOG))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "listen on %s", fresh->sun_path);
	if (sys_rename(fresh->sun_path, path)) {
		int r = err_errno(e, FAIL_SYSTEM_CALL_FAILED, "rename %s", fresh->sun_path);

		listener_remove(fresh->sun_path);
		return r;
	}
	return 0;
}

int listener_open(const char *path, int *ret_fd, struct err *e)
{
	char with_suffix[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	struct sockaddr_un fresh;
	auto_fd int fd = -1;
	int r;

	if (!text_is_path(path) || strlen(path) + strlen(NEW) >= sizeof(with_suffix))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "\"%.120s\" is not the path of a socket, or too long", path);
	snprintf(with_suffix, sizeof(with_suffix), "%s" NEW, path);
	make_address(with_suffix, &fresh);
	r = make_parents(path, 0755, e);
	r = r ? r : check_old(path, e);
	if (r)
		return r;
	fd = make_socket();
	if (fd < 0)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "make a socket");
	r = listen_on(fd, &fresh, path, e);
	if (r)
		return r;
	*ret_fd = steal_fd(&fd);
	return 0;
}

void listener_remove(const char *path)
{
	(void)sys_unlinkat(AT_FDCWD, path, 0);
}
