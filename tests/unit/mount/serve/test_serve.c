// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The server as a process, called over its socket as kata-agent calls it, with a data hub
 * and an attestation agent behind it that are a few lines here.
 */
#include "mount/serve/serve.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/io.h"
#include "mount/serve/channel.h"
#include "mount/serve/listener.h"
#include "mount/serve/measure.h"
#include "mount/serve/message.h"
#include "tests/unit/fake_socle.h"
#include "tests/unit/unit.h"

#define DIGEST "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define IMAGE(name, description, more)                                                             \
	"{\"reference\":\"" name "\",\"digest\":\"" DIGEST "\",\"description\":\"" description     \
	"\"" more "}"

static const char images[] = "{\"version\":1,\"images\":[" IMAGE(
	"good", "SERIAL=a",
	",\"form\":\"socle\",\"upper\":\"tmpfs\",\"volumes\":"
	"[{\"number\":0,\"device\":\"SERIAL=b\"}]") "," IMAGE("bad", "refuse",
							      "") "," IMAGE("slow", "wait",
									    "") "," IMAGE("deadly",
											  "die",
											  "") "]}";

#define EVENT "{\"image\":\"good\", \"digest\":\"" DIGEST "\"}"

#define PATH_SIZE 108

static struct temp folder;
static char socket_path[PATH_SIZE], hub_path[PATH_SIZE], images_path[PATH_SIZE], bundles[PATH_SIZE];
static struct serve_options options;
static pid_t server, hub;

/* --- the other side ----------------------------------------------------------------- */

static void in_folder(char path[PATH_SIZE], const char *name)
{
	assert_true(snprintf(path, PATH_SIZE, "%s/%s", folder.path, name) < PATH_SIZE);
}

/* Until something is so, for a process that was told to make it so. */
#define WAIT_FOR(condition)                                                                        \
	do {                                                                                       \
		int left_ms = 20000;                                                               \
		while (!(condition) && left_ms-- > 0)                                              \
			usleep(1000);                                                              \
		assert_true(left_ms > 0);                                                          \
	} while (0)

static int connect_to(const char *path)
{
	const struct timeval limit = { .tv_sec = 20 };
	int fd;

	assert_int_equal(listener_connect(path, &fd), 0);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
	return fd;
}

static void send_frame(int fd, uint32_t stream, uint8_t type, const void *data, size_t size)
{
	const struct frame f = { .size = (uint32_t)size, .stream = stream, .type = type };
	uint8_t header[FRAME_HEADER_SIZE];

	frame_write(&f, header);
	assert_int_equal(write(fd, header, sizeof(header)), sizeof(header));
	if (size)
		assert_int_equal(write(fd, data, size), size);
}

static void send_request(int fd, uint32_t stream, const char *service, const char *method,
			 const void *payload, size_t size)
{
	struct message_request request = { .payload = { payload, size } };
	uint8_t *bytes = malloc(size + 512);
	int n;

	strcpy(request.service, service);
	strcpy(request.method, method);
	n = message_write_request(&request, bytes, size + 512);
	assert_true(n > 0);
	send_frame(fd, stream, FRAME_REQUEST, bytes, (size_t)n);
	free(bytes);
}

static void send_pull(int fd, uint32_t stream, const char *image, const char *bundle)
{
	uint8_t payload[2100];
	struct proto_writer w = { .out = payload, .size = sizeof(payload) };

	proto_put_bytes(&w, 1, image, strlen(image));
	proto_put_bytes(&w, 2, bundle, strlen(bundle));
	send_request(fd, stream, PULL_SERVICE, PULL_METHOD, payload, (size_t)proto_written(&w));
}

/* The next answer: its stream; 0 where the connection has ended. */
static uint32_t receive(int fd, struct message_response *ret, struct inbox *in)
{
	int r;

	inbox_empty(in);
	r = inbox_read(in, fd, FRAME_DATA_MAX);
	if (r == -EPIPE || r == -ECONNRESET)
		return 0;
	assert_int_equal(r, 1);
	assert_int_equal(in->frame.type, FRAME_RESPONSE);
	assert_int_equal(message_read_response((struct proto_bytes){ in->data, in->frame.size },
					       ret),
			 0);
	return in->frame.stream;
}

static void expect_answer(int fd, uint32_t stream, uint64_t status, const char *text)
{
	struct message_response response;
	struct inbox in = { 0 };

	assert_int_equal(receive(fd, &response, &in), stream);
	if (response.status != status || (status != STATUS_OK && !strstr(response.text, text)))
		fail_msg("%llu \"%s\", expected %llu \"%s\"", (unsigned long long)response.status,
			 response.text, (unsigned long long)status, text);
	if (status == STATUS_OK) {
		struct pull_request digest; /* its first field is a text as well */

		assert_int_equal(message_read_pull(response.payload, &digest), 0);
		assert_string_equal(digest.image, text[0] ? text : DIGEST);
	}
	inbox_empty(&in);
}

/* The status of the next answer. */
static uint64_t receive_status(int fd)
{
	struct message_response response;
	struct inbox in = { 0 };

	assert_int_not_equal(receive(fd, &response, &in), 0);
	inbox_empty(&in);
	return response.status;
}

static void expect_end(int fd)
{
	struct message_response response;
	struct inbox in = { 0 };

	assert_int_equal(receive(fd, &response, &in), 0);
	inbox_empty(&in);
	close(fd);
}

/* A bundle, which the agent makes first. */
static const char *make_bundle(const char *name)
{
	static char path[2 * PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", bundles, name);
	assert_true(!mkdir(path, 0755) || errno == EEXIST);
	return path;
}

static bool is_mounted(const char *name)
{
	char path[2 * PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s/rootfs", bundles, name);
	return !access(path, F_OK);
}

/* --- the hub, and the attestation agent ------------------------------------------------ */

/* "Quit" ends the connection, "Never" has no answer, "Half" has less; else the payload is it. */
static void hub_answer(int fd, const struct inbox *in)
{
	struct message_response response = { 0 };
	struct message_request request;
	static uint8_t bytes[FRAME_DATA_MAX];
	int n;

	if (in->frame.type != FRAME_REQUEST ||
	    message_read_request((struct proto_bytes){ in->data, in->frame.size }, &request))
		_exit(1);
	if (!strcmp(request.method, "Quit"))
		close(fd);
	if (!strcmp(request.method, "Half"))
		assert_int_equal(write(fd, "\0\0\0", 3), 3);
	if (!strcmp(request.method, "Quit") || !strcmp(request.method, "Never") ||
	    !strcmp(request.method, "Half"))
		return;
	response.payload = request.payload;
	/* Extended: what is asked for is no answer, so that it is told by its content. */
	if (!strcmp(request.method, EXTEND_METHOD)) {
		bool asked = memmem(request.payload.at, request.payload.size, EVENT, strlen(EVENT));

		response.payload = (struct proto_bytes){ (const uint8_t *)"\x08\x01", 2 };
		if (asked)
			response.payload.size = 0;
	}
	n = message_write_response(&response, bytes, sizeof(bytes));
	if (n < 0)
		_exit(1);
	/* An answer to nothing comes first, and must not go anywhere. */
	if (strcmp(request.method, EXTEND_METHOD))
		send_frame(fd, 77777, FRAME_RESPONSE, "", 0);
	send_frame(fd, in->frame.stream, FRAME_RESPONSE, bytes, (size_t)n);
}

static void hub_run(int listener)
{
	for (;;) {
		struct pollfd p = { .fd = listener, .events = POLLIN };
		struct inbox in = { 0 };
		int fd;

		if (poll(&p, 1, 60000) <= 0)
			_exit(0);
		fd = accept(listener, NULL, NULL);
		while (fd >= 0 && inbox_read(&in, fd, FRAME_DATA_MAX) == 1) {
			hub_answer(fd, &in);
			inbox_empty(&in);
		}
		close(fd);
	}
}

static void start_hub(void)
{
	struct err e = { 0 };
	int listener;

	expect_success("hub", listener_open(hub_path, &listener, &e), &e);
	hub = fork();
	if (!hub)
		hub_run(listener);
	close(listener);
}

/* --- the server ------------------------------------------------------------------------ */

static void start_server(void)
{
	server = fork();
	if (!server) {
		struct err e = { 0 };
		int quiet = open("/dev/null", O_WRONLY);
		size_t before;

		dup2(quiet, STDERR_FILENO);
		close(quiet);
		before = open_fds();
		_exit(serve(&options, &e) ? 1 : open_fds() == before ? 0 : 2);
	}
	WAIT_FOR(!access(socket_path, F_OK));
}

static int set_up(void **state)
{
	(void)state;
	fake_socle();
	temp_make(&folder);
	put_text(folder.fd, "images.json", images);
	put_dir(folder.fd, "bundles");
	in_folder(socket_path, "run/cdh.sock");
	in_folder(hub_path, "hub.sock");
	in_folder(images_path, "images.json");
	in_folder(bundles, "bundles");
	options = (struct serve_options){ .socket = socket_path,
					  .bundles = bundles,
					  .images = images_path };
	server = hub = 0;
	return 0;
}

/* It ends when it is told to, with its socket gone and nothing left open. */
static int tear_down(void **state)
{
	int status;

	(void)state;
	if (hub > 0) {
		kill(hub, SIGKILL);
		waitpid(hub, NULL, 0);
	}
	if (server > 0) {
		kill(server, SIGTERM);
		assert_int_equal(waitpid(server, &status, 0), server);
		assert_int_equal(status, 0);
		assert_int_not_equal(access(socket_path, F_OK), 0);
	}
	temp_remove(&folder);
	return 0;
}

static void test_pull(void **state)
{
	static const char asked[] =
		"form=socle upper=tmpfs on_corruption=eio timeout_ms=7000 size=8\n"
		"SERIAL=a\nvolume-0 device=SERIAL=b sidecar=- unverified=0\n";
	char text[512], path[2 * PATH_SIZE];
	struct stat st;
	int fd;

	(void)state;
	options.on_corruption = "eio";
	options.timeout_ms = 7000;
	start_server();
	assert_int_equal(lstat(socket_path, &st), 0);
	assert_int_equal(st.st_mode, S_IFSOCK | 0600);
	fd = connect_to(socket_path);
	send_pull(fd, 1, "good", make_bundle("c1"));
	expect_answer(fd, 1, STATUS_OK, "");
	assert_true(is_mounted("c1"));
	snprintf(path, sizeof(path), "%s/c1/request", bundles);
	assert_true(io_read_text(AT_FDCWD, path, text, sizeof(text)) > 0);
	assert_string_equal(text, asked);
	close(fd);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *image, *bundle; /* below bundles where it has no "/" in front */
		uint64_t status;
		enum fail_code code;
		const char *text;
	} rows[] = {
		{ "bad", "c", STATUS_FAILED_PRECONDITION, FAIL_ROOT_HASH_MISMATCH,
		  FAKE_SOCLE_REFUSAL },
		{ "Good", "c", STATUS_NOT_FOUND, FAIL_IMAGE_UNKNOWN,
		  "no disks are described for the image \"Good\"" },
		{ "", "c", STATUS_NOT_FOUND, FAIL_IMAGE_UNKNOWN, "step=describe volume=-" },
		{ "deadly", "c", STATUS_INTERNAL, FAIL_SYSTEM_CALL_FAILED, "without an answer" },
		{ "good", "/etc", STATUS_INVALID_ARGUMENT, FAIL_VALUE_INVALID, "\"/etc\" is not" },
		{ "good", "c/d/", STATUS_INVALID_ARGUMENT, FAIL_VALUE_INVALID,
		  "is not a folder in" },
		{ "good", "c/d", STATUS_INVALID_ARGUMENT, FAIL_VALUE_INVALID,
		  "is not a folder in" },
		{ "good", "..", STATUS_INVALID_ARGUMENT, FAIL_VALUE_INVALID, "is not a folder in" },
		{ "good", "", STATUS_INVALID_ARGUMENT, FAIL_VALUE_INVALID, "is not a folder in" },
		{ "good", "link", STATUS_INVALID_ARGUMENT, FAIL_VALUE_INVALID, "its rootfs" },
		{ "good", "linked", STATUS_INVALID_ARGUMENT, FAIL_VALUE_INVALID, "its rootfs" },
	};
	char code[64];
	char path[2 * PATH_SIZE];
	int fd;

	(void)state;
	start_server();
	make_bundle("c");
	make_bundle("linked");
	put_link(folder.fd, "bundles/link", "c");
	put_link(folder.fd, "bundles/linked/rootfs", "../c");
	fd = connect_to(socket_path);
	for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(path, sizeof(path), "%s/%s", bundles, rows[i].bundle);
		send_pull(fd, 2 * i + 1, rows[i].image,
			  rows[i].bundle[0] == '/' ? rows[i].bundle : path);
		expect_answer(fd, 2 * i + 1, rows[i].status, rows[i].text);
		send_pull(fd, 2 * i + 51, rows[i].image,
			  rows[i].bundle[0] == '/' ? rows[i].bundle : path);
		snprintf(code, sizeof(code), " code=%s: ", fail_name(rows[i].code));
		expect_answer(fd, 2 * i + 51, rows[i].status, code);
	}
	assert_false(is_mounted("c"));
	send_pull(fd, 99, "go\nod", make_bundle("c"));
	expect_answer(fd, 99, STATUS_INVALID_ARGUMENT, "malformed");
	/* Beside the folder, not in it. */
	snprintf(path, sizeof(path), "%s-more/c", bundles);
	send_pull(fd, 101, "good", path);
	expect_answer(fd, 101, STATUS_INVALID_ARGUMENT, "is not a folder in");
	snprintf(path, sizeof(path), "%s-more", bundles);
	send_pull(fd, 103, "good", path);
	expect_answer(fd, 103, STATUS_INVALID_ARGUMENT, "is not a folder in");
	close(fd);
}

/* One waits for its disk; the others, of this client and of others, do not. */
static void test_side_by_side(void **state)
{
	int fd[3];

	(void)state;
	start_server();
	for (int i = 0; i < 3; i++)
		fd[i] = connect_to(socket_path);
	send_pull(fd[0], 1, "slow", make_bundle("slow"));
	send_pull(fd[0], 3, "good", make_bundle("a"));
	send_pull(fd[1], 1, "good", make_bundle("b"));
	send_pull(fd[2], 1, "bad", make_bundle("c"));
	expect_answer(fd[0], 3, STATUS_OK, "");
	expect_answer(fd[1], 1, STATUS_OK, "");
	expect_answer(fd[2], 1, STATUS_FAILED_PRECONDITION, FAKE_SOCLE_REFUSAL);
	/* Who leaves in the middle of a pull leaves the others alone. */
	send_pull(fd[1], 3, "slow", make_bundle("gone"));
	close(fd[1]);
	assert_false(is_mounted("slow"));
	put_text(folder.fd, "bundles/slow/go", "");
	expect_answer(fd[0], 1, STATUS_OK, "");
	put_text(folder.fd, "bundles/gone/go", "");
	WAIT_FOR(is_mounted("gone"));
	close(fd[0]);
	close(fd[2]);
}

/* Told to end, it ends its pulls and answers first. */
static void test_end_waits(void **state)
{
	int fd, status;

	(void)state;
	start_server();
	fd = connect_to(socket_path);
	send_pull(fd, 1, "slow", make_bundle("slow"));
	send_pull(fd, 3, "good", make_bundle("a"));
	expect_answer(fd, 3, STATUS_OK, "");
	kill(server, SIGTERM);
	WAIT_FOR(access(socket_path, F_OK));
	put_text(folder.fd, "bundles/slow/go", "");
	expect_answer(fd, 1, STATUS_OK, "");
	expect_end(fd);
	assert_int_equal(waitpid(server, &status, 0), server);
	assert_int_equal(status, 0);
	server = 0;
}

static void test_odd_frames(void **state)
{
	static uint8_t long_data[70000];
	int fd;

	(void)state;
	options.stall_ms = 100;
	start_server();
	fd = connect_to(socket_path);
	send_request(fd, 1, "api.GetResourceService", "GetResource", "", 0);
	expect_answer(fd, 1, STATUS_UNIMPLEMENTED, "api.GetResourceService/GetResource");
	send_request(fd, 2, PULL_SERVICE, PULL_METHOD, "", 0);
	expect_answer(fd, 2, STATUS_INVALID_ARGUMENT, "odd numbers");
	send_frame(fd, 3, FRAME_REQUEST, "\x0b", 1);
	expect_answer(fd, 3, STATUS_INVALID_ARGUMENT, "request is malformed");
	send_frame(fd, 5, FRAME_REQUEST, long_data, sizeof(long_data));
	expect_answer(fd, 5, STATUS_RESOURCE_EXHAUSTED, "a message of 70000 bytes");
	send_frame(fd, 7, FRAME_STREAM_DATA, "", 0);
	expect_answer(fd, 7, STATUS_INVALID_ARGUMENT, "stream 7 is not open");
	send_frame(fd, 9, FRAME_RESPONSE, "", 0);
	send_frame(fd, 11, 9, "xyz", 3);
	/* All of that, and the connection is as good as before. */
	send_pull(fd, 13, "good", make_bundle("a"));
	expect_answer(fd, 13, STATUS_OK, "");
	/* Half a frame, of a client that goes, and of one that stays. */
	assert_int_equal(write(fd, "\0\0\0", 3), 3);
	close(fd);
	fd = connect_to(socket_path);
	assert_int_equal(write(fd, "\0\0\0\5\0\0\0\1\1\0xy", 12), 12);
	expect_end(fd);
	/* One that has said nothing may stay. */
	fd = connect_to(socket_path);
	usleep(250000);
	send_pull(fd, 1, "good", make_bundle("b"));
	expect_answer(fd, 1, STATUS_OK, "");
	close(fd);
}

/* A second call of a number that has no answer yet: nobody could tell their answers apart. */
static void test_stream_again(void **state)
{
	int fd;

	(void)state;
	start_server();
	fd = connect_to(socket_path);
	send_pull(fd, 1, "slow", make_bundle("slow"));
	send_pull(fd, 1, "good", make_bundle("a"));
	expect_end(fd);
	put_text(folder.fd, "bundles/slow/go", "");
}

/* A client that never reads what it is answered is left in the end. */
static void test_client_that_does_not_read(void **state)
{
	const struct timeval limit = { .tv_usec = 100000 };
	int fd, sent = 0;

	(void)state;
	options.stall_ms = 200;
	start_server();
	fd = connect_to(socket_path);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	signal(SIGPIPE, SIG_IGN);
	while (send(fd, "\0\0\0\0\0\0\0\2\1\0", 10, 0) == 10 && sent < 10000000)
		sent++;
	WAIT_FOR(send(fd, "\0\0\0\0\0\0\0\2\1\0", 10, MSG_DONTWAIT) < 0 && errno == EPIPE);
	close(fd);
}

/* A disk that never answers: the call does not wait for ever, and no mount comes behind it. */
static void test_pull_without_end(void **state)
{
	int fd;

	(void)state;
	options.timeout_ms = 100;
	options.rest_ms = 200;
	start_server();
	fd = connect_to(socket_path);
	send_pull(fd, 1, "slow", make_bundle("slow"));
	expect_answer(fd, 1, STATUS_DEADLINE_EXCEEDED,
		      "step=mounts volume=- code=SYSTEM_CALL_FAILED");
	put_text(folder.fd, "bundles/slow/go", "");
	send_pull(fd, 1, "good", make_bundle("c1"));
	expect_answer(fd, 1, STATUS_OK, "");
	usleep(200000);
	assert_false(is_mounted("slow"));
	close(fd);
}

static void test_too_many(void **state)
{
	int fd[SERVE_CLIENTS_MAX + 1];
	char name[16];

	(void)state;
	start_server();
	for (int i = 0; i <= SERVE_CLIENTS_MAX; i++)
		fd[i] = connect_to(socket_path);
	expect_end(fd[SERVE_CLIENTS_MAX]);
	for (uint32_t i = 0; i <= SERVE_PULLS_MAX; i++) {
		snprintf(name, sizeof(name), "c%u", i);
		send_pull(fd[0], 2 * i + 1, "slow", make_bundle(name));
	}
	expect_answer(fd[0], 2 * SERVE_PULLS_MAX + 1, STATUS_RESOURCE_EXHAUSTED,
		      "64 images are being mounted");
	for (int i = 0; i < SERVE_PULLS_MAX; i++) {
		char path[64];

		snprintf(path, sizeof(path), "bundles/c%d/go", i);
		put_text(folder.fd, path, "");
	}
	for (int i = 0; i < SERVE_PULLS_MAX; i++)
		assert_int_equal(receive_status(fd[0]), STATUS_OK);
	for (int i = 0; i < SERVE_CLIENTS_MAX; i++)
		close(fd[i]);
}

static void test_hub(void **state)
{
	static uint8_t big[1000000];
	struct message_response response;
	struct inbox in = { 0 };
	int fd;

	(void)state;
	options.forward = hub_path;
	start_server();
	fd = connect_to(socket_path);
	/* It need not be there when we are, or for what is ours. */
	send_request(fd, 1, "api.GetResourceService", "GetResource", "", 0);
	expect_answer(fd, 1, STATUS_UNAVAILABLE, "cannot be reached");
	send_pull(fd, 3, "good", make_bundle("a"));
	expect_answer(fd, 3, STATUS_OK, "");
	start_hub();
	send_request(fd, 5, "api.GetResourceService", "GetResource", "\x0a\x01x", 3);
	expect_answer(fd, 5, STATUS_OK, "x");
	memset(big, 'x', sizeof(big));
	send_request(fd, 7, "api.Any", "Thing", big, sizeof(big));
	in.frame.size = 0;
	/* A long answer comes in parts. */
	assert_int_equal(receive(fd, &response, &in), 7);
	assert_int_equal(response.payload.size, sizeof(big));
	assert_memory_equal(response.payload.at, big, sizeof(big));
	inbox_empty(&in);
	/* An unknown image is refused here: nobody said that it may be pulled there. */
	send_pull(fd, 9, "other", make_bundle("b"));
	expect_answer(fd, 9, STATUS_NOT_FOUND, "code=IMAGE_UNKNOWN");
	/* What has no answer when the hub goes gets one, and the next call reaches a new hub. */
	send_request(fd, 11, "api.Any", "Never", "", 0);
	send_request(fd, 13, "api.Any", "Quit", "", 0);
	expect_answer(fd, 13, STATUS_UNAVAILABLE, "the data hub is gone");
	expect_answer(fd, 11, STATUS_UNAVAILABLE, "the data hub is gone");
	send_request(fd, 15, "api.Any", "Thing", "\x0a\x01y", 3);
	expect_answer(fd, 15, STATUS_OK, "y");
	close(fd);
}

/* Many calls before the first answer is read: more than the sockets alone would hold. */
static void test_hub_ahead(void **state)
{
	static uint8_t data[5300];
	int fd;

	(void)state;
	options.forward = hub_path;
	options.stall_ms = 2000;
	start_hub();
	start_server();
	fd = connect_to(socket_path);
	for (uint32_t i = 0; i < 60; i++)
		send_request(fd, 2 * i + 1, "api.Any", "Thing", data, sizeof(data));
	for (uint32_t i = 0; i < 60; i++)
		assert_int_equal(receive_status(fd), STATUS_OK);
	close(fd);
}

/* A hub that stops in the middle of an answer is given up, and the client keeps its connection. */
static void test_hub_that_stalls(void **state)
{
	int fd;

	(void)state;
	options.forward = hub_path;
	options.stall_ms = 200;
	start_hub();
	start_server();
	fd = connect_to(socket_path);
	send_request(fd, 1, "api.Any", "Half", "", 0);
	expect_answer(fd, 1, STATUS_UNAVAILABLE, "the data hub is gone");
	send_request(fd, 3, "api.Any", "Thing", "\x0a\x01y", 3);
	expect_answer(fd, 3, STATUS_OK, "y");
	close(fd);
}

static void test_pull_unknown(void **state)
{
	int fd;

	(void)state;
	options.forward = hub_path;
	options.pull_unknown = true;
	start_hub();
	start_server();
	fd = connect_to(socket_path);
	send_pull(fd, 1, "other", make_bundle("b"));
	expect_answer(fd, 1, STATUS_OK, "other"); /* the hub answers what it was asked */
	send_pull(fd, 3, "bad", make_bundle("b"));
	expect_answer(fd, 3, STATUS_FAILED_PRECONDITION, FAKE_SOCLE_REFUSAL);
	close(fd);
}

/* Nobody reads stderr, and no more goes into it: no pull stays behind for that. */
static void test_unread_stderr(void **state)
{
	static const char filling[4096];
	int ends[2], old = dup(STDERR_FILENO), fd;
	uint32_t stream = 1;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	while (write(ends[1], filling, sizeof(filling)) > 0)
		;
	assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
	dup2(ends[1], STDERR_FILENO);
	server = fork();
	if (!server) {
		struct err e = { 0 };

		_exit(serve(&options, &e) ? 1 : 0);
	}
	dup2(old, STDERR_FILENO);
	close(old);
	close(ends[1]);
	WAIT_FOR(!access(socket_path, F_OK));
	fd = connect_to(socket_path);
	make_bundle("c");
	for (; stream < 2 * SERVE_PULLS_MAX; stream += 2)
		send_pull(fd, stream, "good", make_bundle("c"));
	for (int i = 0; i < SERVE_PULLS_MAX; i++)
		assert_int_equal(receive_status(fd), STATUS_OK);
	WAIT_FOR((send_pull(fd, stream, "good", make_bundle("c")), stream += 2,
		  receive_status(fd) == STATUS_OK));
	close(fd);
	close(ends[0]);
}

/* Descriptions that cannot be read: every pull says why, and none goes to the hub. */
static void test_broken_images(void **state)
{
	int fd;

	(void)state;
	put_text(folder.fd, "images.json", "{\"version\":2,\"images\":[]}");
	options.forward = hub_path;
	options.pull_unknown = true;
	start_hub();
	start_server();
	fd = connect_to(socket_path);
	send_pull(fd, 1, "good", make_bundle("a"));
	expect_answer(fd, 1, STATUS_FAILED_PRECONDITION, "images.json: \"version\" is not 1");
	send_request(fd, 3, "api.Any", "Thing", "\x0a\x01y", 3);
	expect_answer(fd, 3, STATUS_OK, "y");
	close(fd);
}

static void test_measured(void **state)
{
	struct err e = { 0 };
	int fd;

	(void)state;
	options.attestation = hub_path;
	expect_failure("no agent", measure_pull(hub_path, "good", DIGEST, &e), &e,
		       FAIL_MEASUREMENT_FAILED, "No such file");
	start_server();
	fd = connect_to(socket_path);
	send_pull(fd, 1, "good", make_bundle("a"));
	expect_answer(fd, 1, STATUS_FAILED_PRECONDITION,
		      "step=measure volume=- code=MEASUREMENT_FAILED: reach the attestation agent");
	assert_false(is_mounted("a"));
	start_hub();
	send_pull(fd, 3, "good", make_bundle("a"));
	expect_answer(fd, 3, STATUS_OK, "");
	assert_true(is_mounted("a"));
	/* Another event than this is refused by our agent here. */
	send_pull(fd, 5, "slow", make_bundle("b"));
	put_text(folder.fd, "bundles/b/go", "");
	expect_answer(fd, 5, STATUS_FAILED_PRECONDITION, "cannot extend a measurement");
	assert_false(is_mounted("b"));
	close(fd);
}

static void test_second_server(void **state)
{
	struct err e = { 0 };
	size_t before;

	(void)state;
	start_server();
	before = open_fds();
	expect_failure("second", serve(&options, &e), &e, FAIL_SYSTEM_CALL_FAILED,
		       "somebody listens on");
	assert_int_equal(open_fds(), before);
	/* The first one is not harmed. */
	close(connect_to(socket_path));
	options.socket = "/";
	expect_failure("path", serve(&options, &e), &e, FAIL_VALUE_INVALID, "not the path");
	options.socket = images_path;
	expect_failure("file", serve(&options, &e), &e, FAIL_SYSTEM_CALL_FAILED, "is not a socket");
	options.socket = socket_path;
}

/* A socket that nobody listens on any more is replaced. */
static void test_after_a_crash(void **state)
{
	(void)state;
	start_server();
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	assert_int_equal(access(socket_path, F_OK), 0);
	server = fork();
	if (!server) {
		struct err e = { 0 };

		_exit(serve(&options, &e) ? 1 : 0);
	}
	WAIT_FOR(({
		int fd, r = listener_connect(socket_path, &fd);

		if (!r)
			close(fd);
		!r;
	}));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_pull),
		CASE(test_refusals),
		CASE(test_side_by_side),
		CASE(test_end_waits),
		CASE(test_odd_frames),
		CASE(test_stream_again),
		CASE(test_client_that_does_not_read),
		CASE(test_too_many),
		CASE(test_hub),
		CASE(test_hub_ahead),
		CASE(test_hub_that_stalls),
		CASE(test_pull_without_end),
		CASE(test_pull_unknown),
		CASE(test_broken_images),
		CASE(test_unread_stderr),
		CASE(test_measured),
		CASE(test_second_server),
		CASE(test_after_a_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
