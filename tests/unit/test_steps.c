// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* link: fake_sys */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/cmdline.h"
#include "init/steps.h"
#include "tests/unit/fake_verity.h"

/* As large as PID 1's, so not on the stack. */
static struct boot boot;

/* A plan with layers of squashfs, found; open ones too if so wished. */
static void make_boot(size_t layers, enum plan_upper upper, bool open)
{
	memset(&boot, 0, sizeof(boot));
	boot.search.sysfs = boot.search.dev = boot.search.uevents = -1;
	plan_init(&boot.plan);
	boot.plan.root = PLAN_ROOT_LAYERS;
	boot.plan.layers = layers;
	boot.plan.upper = upper;
	for (size_t i = 0; i < layers; i++) {
		struct volume *v = &boot.plan.layer[i];
		struct device_wish *wish = &boot.wishes[2 * i];
		char name[ERR_VOLUME_SIZE], dm_name[VERITY_NAME_SIZE];

		snprintf(name, sizeof(name), "layer-%zu", i);
		snprintf(dm_name, sizeof(dm_name), "socle-layer-%zu", i);
		volume_init(v, name, dm_name);
		strcpy(v->fstype, "squashfs");
		v->data = (struct devref){ .kind = DEVREF_SERIAL, .value = "x" };
		v->verity.data_blocks = i + 1;
		boot.first_wish[i] = 2 * i;
		wish->ref = &v->data;
		snprintf(wish->found.name, sizeof(wish->found.name), "vd%zu", i);
		wish->found.size_bytes = 1 << 20;
		if (!open)
			continue;
		boot.open[i].volume = v;
		snprintf(boot.open[i].device.name, VERITY_NAME_SIZE, "socle-%s", v->name);
		snprintf(boot.open[i].device.path, sizeof(boot.open[i].device.path), "/dev/dm-%zu",
			 i);
		boot.open_count = i + 1;
	}
}

static size_t lines_with(const char *words)
{
	size_t count = 0;

	for (const char *at = fake_sys.log; (at = strstr(at, words)); at++)
		count++;
	return count;
}

/* --- verity --------------------------------------------------------------------- */

static void test_verity(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_boot(2, PLAN_UPPER_TMPFS, false);
	fake_verity_reset(0, 0);
	expect_success("verity", step_verity(&boot, &e), &e);
	assert_string_equal(fake_sys.log,
			    "verity_kernel_check sha256\n"
			    "verity_open socle-layer-0 data=/dev/vd0 hash=/dev/vd0 fec=- blocks=1\n"
			    "verity_prove socle-layer-0\n"
			    "verity_open socle-layer-1 data=/dev/vd1 hash=/dev/vd1 fec=- blocks=2\n"
			    "verity_prove socle-layer-1\n");
	assert_int_equal(boot.open_count, 2);
	/* each hash that is needed is asked for */
	make_boot(3, PLAN_UPPER_TMPFS, false);
	strcpy(boot.plan.layer[1].verity.hash_name, "sha512");
	fake_verity_reset(0, 0);
	expect_success("two hashes", step_verity(&boot, &e), &e);
	assert_int_equal(lines_with("verity_kernel_check sha512"), 1);
}

/* What a signature needs of the kernel is asked for before anything is opened, and once. */
static void test_signatures(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_boot(3, PLAN_UPPER_TMPFS, false);
	for (size_t i = 1; i < 3; i++)
		assert_int_equal(verity_signature_parse("base64:MAA=",
							&boot.plan.layer[i].signature, &e), 0);
	fake_verity_reset(0, 0);
	expect_success("signed", step_verity(&boot, &e), &e);
	assert_memory_equal(fake_sys.log, "verity_kernel_check sha256\n"
			    "verity_kernel_check_signatures\nverity_open socle-layer-0 ", 83);
	assert_int_equal(lines_with("verity_kernel_check_signatures"), 1);
	assert_int_equal(lines_with(" blocks=1\n"), 1);
	assert_int_equal(lines_with(" blocks=2 signature=2\n"), 1);
	assert_int_equal(lines_with(" blocks=3 signature=2\n"), 1);
	fake_verity_reset(2, ENOTSUP);
	expect_failure("kernel", step_verity(&boot, &e), &e, FAIL_KERNEL_FEATURE_MISSING,
		       "no signatures");
	assert_int_equal(fake_sys.calls, 2);
}

static void test_verity_fails(void **state)
{
	static const enum fail_code codes[] = {
		FAIL_KERNEL_FEATURE_MISSING,
		FAIL_VERITY_OPEN_FAILED, FAIL_ROOT_HASH_MISMATCH,
		FAIL_VERITY_OPEN_FAILED, FAIL_ROOT_HASH_MISMATCH,
	};

	(void)state;
	for (unsigned int call = 1; call <= COUNT(codes); call++) {
		struct err e = { 0 };

		make_boot(2, PLAN_UPPER_TMPFS, false);
		fake_verity_reset(call, EINVAL);
		expect_failure("call", step_verity(&boot, &e), &e, codes[call - 1], "");
		assert_int_equal(boot.open_count, call > 3 ? 1 : 0);
		assert_int_equal(lines_with("verity_open"), call > 3 ? 2 : call > 1 ? 1 : 0);
		/* behind a check that fails there is only the close */
		assert_int_equal(fake_sys.calls, codes[call - 1] == FAIL_ROOT_HASH_MISMATCH ?
							 call + 1 : call);
	}
}

/* --- mounts --------------------------------------------------------------------- */

#define MOUNT_OF(i) \
	"mkdir /layers/" i " 0755\n" \
	"fsopen squashfs\n" \
	"fsconfig string source /dev/dm-" i "\n" \
	"fsconfig flag ro -\n" \
	"fsconfig create - -\n" \
	"fsmount 0x7\n" \
	"move_mount /layers/" i "\n"

static const char two_layers[] =
	"mkdir /sysroot 0755\n"
	"mkdir /layers 0755\n"
	MOUNT_OF("0")
	MOUNT_OF("1")
	"mkdir /upper 0755\n"
	"fsopen tmpfs\n"
	"fsconfig string source socle-upper\n"
	"fsconfig string mode 0755\n"
	"fsconfig string size 25%\n"
	"fsconfig create - -\n"
	"fsmount 0\n"
	"move_mount /upper\n"
	"mkdir /upper/upper 0755\n"
	"mkdir /upper/work 0755\n"
	"fsopen overlay\n"
	"fsconfig string source socle\n"
	"fsconfig string lowerdir+ /layers/0\n"
	"fsconfig string lowerdir+ /layers/1\n"
	"fsconfig string upperdir /upper/upper\n"
	"fsconfig string workdir /upper/work\n"
	"fsconfig create - -\n"
	"fsmount 0\n"
	"move_mount /sysroot\n"
	"umount /layers/0 flags=0x2\n"
	"umount /layers/1 flags=0x2\n"
	"umount /upper flags=0x2\n";
#define TWO_LAYERS_CALLS 38

/* The upper's attributes, on a tmpfs that is not there. */
int setxattr(const char *path, const char *name, const void *value, size_t size, int flags)
{
	(void)path;
	(void)name;
	(void)value;
	(void)size;
	(void)flags;
	return 0;
}

int removexattr(const char *path, const char *name)
{
	(void)path;
	(void)name;
	return 0;
}

static void test_mounts(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_boot(2, PLAN_UPPER_TMPFS, true);
	strcpy(boot.plan.upper_size, "25%");
	fake_verity_reset(0, 0);
	expect_success("two layers", step_mounts(&boot, &e), &e);
	assert_string_equal(fake_sys.log, two_layers);
	assert_int_equal(fake_sys.calls, TWO_LAYERS_CALLS);
	/* one layer is a root by itself */
	make_boot(1, PLAN_UPPER_NONE, true);
	fake_verity_reset(0, 0);
	expect_success("one layer", step_mounts(&boot, &e), &e);
	assert_string_equal(fake_sys.log, "mkdir /sysroot 0755\n"
					  "fsopen squashfs\n"
					  "fsconfig string source /dev/dm-0\n"
					  "fsconfig flag ro -\n"
					  "fsconfig create - -\n"
					  "fsmount 0x1\n"
					  "move_mount /sysroot\n");
	/* two without an upper are a read-only overlay */
	make_boot(2, PLAN_UPPER_NONE, true);
	fake_verity_reset(0, 0);
	expect_success("no upper", step_mounts(&boot, &e), &e);
	assert_int_equal(lines_with("upper"), 0);
	assert_non_null(strstr(fake_sys.log, "lowerdir+ /layers/1\nfsconfig create - -\n"
					     "fsmount 0x1\nmove_mount /sysroot\numount /layers/0"));
}

static void test_each_mount_call_fails(void **state)
{
	size_t fds = open_fds();

	(void)state;
	for (unsigned int call = 1; call <= TWO_LAYERS_CALLS; call++) {
		struct err e = { 0 };

		make_boot(2, PLAN_UPPER_TMPFS, true);
		strcpy(boot.plan.upper_size, "25%");
		fake_verity_reset(call, EIO);
		if (step_mounts(&boot, &e) != -EIO || e.code == FAIL_NONE || !e.text[0])
			fail_msg("call %u: %s %s", call, fail_name(e.code), e.text);
		assert_int_equal(fake_sys.calls, call);
		assert_memory_equal(fake_sys.log, two_layers, fake_sys.used);
		assert_int_equal(open_fds(), fds);
	}
}

/* A mount that fails on a bad block is the block's failure, and its layer's. */
static void test_bad_block_is_told(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_boot(3, PLAN_UPPER_TMPFS, true);
	fake_verity_reset(5, EIO);
	fake_bad_device = "socle-layer-2";
	expect_failure("bad block", step_mounts(&boot, &e), &e, FAIL_DATA_CORRUPT,
		       "a block does not match");
	assert_string_equal(e.volume, "layer-2");
}

/* Every layer has its own device and its own mount, up to the limit. */
static void test_as_many_of_each(void **state)
{
	static const size_t counts[] = { 1, 9, PLAN_LAYERS_MAX };
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		const char *first;

		make_boot(counts[i], PLAN_UPPER_TMPFS, false);
		fake_verity_reset(0, 0);
		expect_success("verity", step_verity(&boot, &e), &e);
		assert_int_equal(lines_with("verity_open"), counts[i]);
		assert_int_equal(lines_with("verity_prove"), counts[i]);
		fake_sys_reset(0, 0);
		expect_success("mounts", step_mounts(&boot, &e), &e);
		assert_int_equal(lines_with("fsopen squashfs"), counts[i]);
		assert_int_equal(lines_with("source /dev/dm-"), counts[i]);
		assert_int_equal(lines_with("lowerdir+ /layers/"), counts[i]);
		assert_int_equal(lines_with("umount /layers/"), counts[i]);
		/* the topmost is the first */
		first = strstr(fake_sys.log, "lowerdir+ ");
		assert_memory_equal(first, "lowerdir+ /layers/0\n", 20);
	}
}

/* --- steps that look at the root they are in -------------------------------------- */

struct result {
	int r;
	struct err e;
	unsigned int calls;
	char log[8192];
	char agent[PLAN_PATH_SIZE];
};

static int (*step_to_run)(struct boot *b, struct err *e);

static void run_step(void *shared)
{
	struct result *result = shared;

	result->r = step_to_run(&boot, &result->e);
	result->calls = fake_sys.calls;
	memcpy(result->log, fake_sys.log, sizeof(result->log) - 1);
	strcpy(result->agent, boot.plan.agent);
}

/* Run a step in a root of its own; skips the test where that is not allowed. */
static const struct result *in_root(int (*step)(struct boot *b, struct err *e),
				    void (*fill)(int dir))
{
	static struct result *result;

	if (!result)
		result = shared_memory(sizeof(*result));
	memset(result, 0, sizeof(*result));
	step_to_run = step;
	if (in_own_root(fill, run_step, result))
		skip();
	return result;
}

static void fill_nothing(int dir)
{
	(void)dir;
}

/* Everything is mounted by us; what is there already is fine. */
static const char api_calls[] = "mkdir /dev 0755\n"
				"mount dev /dev type=devtmpfs flags=0x2 options=mode=755\n"
				"mkdir /proc 0755\n"
				"mount proc /proc type=proc flags=0xe options=-\n"
				"mkdir /sys 0755\n"
				"mount sysfs /sys type=sysfs flags=0xe options=-\n"
				"mkdir /run 0755\n"
				"mount run /run type=tmpfs flags=0x6 options=mode=755,size=50%\n";

static void test_api(void **state)
{
	const struct result *result;

	(void)state;
	fake_verity_reset(0, 0);
	result = in_root(step_api, fill_nothing);
	expect_success("api", result->r, &result->e);
	assert_string_equal(result->log, api_calls);
	for (unsigned int call = 1; call <= 8; call++) {
		fake_verity_reset(call, call % 2 ? EEXIST : EBUSY);
		result = in_root(step_api, fill_nothing);
		expect_success("there already", result->r, &result->e);
		assert_string_equal(result->log, api_calls);
		fake_verity_reset(call, EIO);
		result = in_root(step_api, fill_nothing);
		expect_failure("call", result->r, &result->e,
			       call % 2 ? FAIL_SYSTEM_CALL_FAILED : FAIL_MOUNT_FAILED, strerror(EIO));
		assert_int_equal(result->calls, call);
	}
	fake_verity_reset(2, ENODEV);
	result = in_root(step_api, fill_nothing);
	expect_failure("no devtmpfs", result->r, &result->e, FAIL_KERNEL_FEATURE_MISSING,
		       "the kernel has no file system devtmpfs: CONFIG_DEVTMPFS");
}

static char cmdline[CMDLINE_SIZE + 1];

static void fill_cmdline(int dir)
{
	put_text(dir, "proc/cmdline", cmdline);
}

static void test_plan(void **state)
{
	static const char line[] = "quiet socle.layer=/dev/vda,data_blocks=1,root_hash="
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef socle.agent=/a\n";
	const struct result *result;

	(void)state;
	strcpy(cmdline, line);
	result = in_root(step_plan, fill_cmdline);
	expect_success("plan", result->r, &result->e);
	assert_string_equal(result->agent, "/a");
	/* the newline is procfs' own, also behind a quote that nothing closes */
	strcpy(cmdline + strlen(line) - strlen("/a\n"), "\"/a b\n");
	result = in_root(step_plan, fill_cmdline);
	expect_success("quote", result->r, &result->e);
	assert_string_equal(result->agent, "/a b");
	result = in_root(step_plan, fill_nothing);
	expect_failure("no proc", result->r, &result->e, FAIL_SYSTEM_CALL_FAILED,
		       "read /proc/cmdline: No such file");
	memset(cmdline, 'x', sizeof(cmdline) - 1);
	result = in_root(step_plan, fill_cmdline);
	expect_failure("too long", result->r, &result->e, FAIL_LIMIT_EXCEEDED,
		       "more than 32767 bytes");
	strcpy(cmdline, "");
	result = in_root(step_plan, fill_cmdline);
	expect_failure("empty", result->r, &result->e, FAIL_NO_ROOT, "names no root");
	strcpy(cmdline, "\n");
	result = in_root(step_plan, fill_cmdline);
	expect_failure("newline", result->r, &result->e, FAIL_NO_ROOT, "names no root");
}

static const char *modules_list, *modules_cmdline = "quiet\n";

static void fill_modules(int dir)
{
	if (modules_cmdline)
		put_text(dir, "proc/cmdline", modules_cmdline);
	put_text(dir, "lib/modules/a.ko", "A");
	put_text(dir, "lib/modules/b.ko", "B");
	put_text(dir, "lib/modules/socle.load", modules_list);
}

static void fill_folder_alone(int dir)
{
	put_dir(dir, "lib/modules");
}

static void test_modules(void **state)
{
	static const struct {
		const char *list;
		unsigned int fail_call;
		int fail_errno;
		const char *log;
		const char *words; /* NULL: it goes on */
	} rows[] = {
		{ "", 0, 0, "", NULL },
		{ "a.ko\nb.ko\n", 0, 0, "finit_module A params=\nfinit_module B params=\n", NULL },
		{ "\n\nb.ko\n\na.ko", 0, 0, "finit_module B params=\nfinit_module A params=\n",
		  NULL },
		{ "a.ko\nb.ko\n", 1, EEXIST, "finit_module A params=\nfinit_module B params=\n",
		  NULL },
		{ "a.ko\nb.ko\n", 1, ENOEXEC, "finit_module A params=\n",
		  "load the kernel module a.ko: Exec format error: it was built for another "
		  "kernel, or is damaged" },
		{ "a.ko\nb.ko\n", 2, EKEYREJECTED,
		  "finit_module A params=\nfinit_module B params=\n",
		  "module b.ko: Key was rejected by service: the kernel takes only modules that "
		  "are signed" },
		{ "a.ko\n", 1, ENOENT, "finit_module A params=\n", "a symbol that the kernel" },
		{ "a.ko\n", 1, E2BIG, "finit_module A params=\n",
		  "load the kernel module a.ko: Argument list too long" },
		{ "-a.ko\nb.ko\n", 1, ENODEV, "finit_module A params=\nfinit_module B params=\n",
		  NULL },
		{ "absent.ko\na.ko\n", 0, 0, "", "open the kernel module absent.ko: No such file" },
		{ "-absent.ko\na.ko\n", 0, 0, "finit_module A params=\n", NULL },
	};
	static char longest[16385];
	const struct result *result;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		modules_list = rows[i].list;
		fake_verity_reset(rows[i].fail_call, rows[i].fail_errno);
		result = in_root(step_modules, fill_modules);
		if (rows[i].words)
			expect_failure(rows[i].list, result->r, &result->e, FAIL_MODULE_FAILED,
				       rows[i].words);
		else
			expect_success(rows[i].list, result->r, &result->e);
		assert_string_equal(result->log, rows[i].log);
	}
	/* what the line says to a module, which the kernel leaves to us */
	modules_list = "b.ko\n-a.ko\n";
	modules_cmdline = "a.x=1 quiet b.y\n";
	fake_verity_reset(0, 0);
	result = in_root(step_modules, fill_modules);
	assert_string_equal(result->log, "finit_module B params=y\nfinit_module A params=x=\"1\"\n");
	modules_cmdline = NULL;
	result = in_root(step_modules, fill_modules);
	expect_failure("no line", result->r, &result->e, FAIL_MODULE_FAILED,
		       "read /proc/cmdline: No such file");
	modules_cmdline = "quiet\n";
	result = in_root(step_modules, fill_nothing);
	expect_success("no folder", result->r, &result->e);
	result = in_root(step_modules, fill_folder_alone);
	expect_success("no list", result->r, &result->e);
	memset(longest, '\n', sizeof(longest) - 2);
	modules_list = longest;
	result = in_root(step_modules, fill_modules);
	expect_success("16383 bytes", result->r, &result->e);
	memset(longest, '\n', sizeof(longest) - 1);
	result = in_root(step_modules, fill_modules);
	expect_failure("16384 bytes", result->r, &result->e, FAIL_MODULE_FAILED,
		       "socle.load: File too large");
}

/* --- the hand-over ----------------------------------------------------------------- */

static void fill_sysroot(int dir)
{
	put_text(dir, "sysroot/sbin/init", "\177ELF");
	fchmodat(dir, "sysroot/sbin/init", 0755, 0);
	put_text(dir, "sysroot/sbin/text", "not a program");
	put_dir(dir, "sysroot/sbin/folder");
	put_link(dir, "sysroot/sbin/nowhere", "gone");
	mkfifoat(dir, "sysroot/sbin/fifo", 0755);
}

/* Each time from the first folder on: another generator may be the first. */
#define HIDING(generator)                                \
	"mkdir /run/systemd 0755\n"                      \
	"mkdir /run/systemd/system-generators 0755\n"    \
	"symlink /dev/null /run/systemd/system-generators/" generator "\n"
#define HIDING_CALLS 3

static const char handover_calls[] =
	"open_in_root /sbin/init\n"
	"verity_arm socle-layer-0 1\n"
	"verity_arm socle-layer-1 1\n"
	HIDING("systemd-gpt-auto-generator")
	"verity_release\n"
	"mkdir /sysroot/dev 0755\n"
	"mount /dev /sysroot/dev type=- flags=0x2000 options=-\n"
	"mkdir /sysroot/proc 0755\n"
	"mount /proc /sysroot/proc type=- flags=0x2000 options=-\n"
	"mkdir /sysroot/sys 0755\n"
	"mount /sys /sysroot/sys type=- flags=0x2000 options=-\n"
	"mkdir /sysroot/run 0755\n"
	"mount /run /sysroot/run type=- flags=0x2000 options=-\n"
	"chdir /sysroot\n"
	"mount . / type=- flags=0x2000 options=-\n"
	"chroot .\n"
	"chdir /\n";
static const char execve_call[] =
	"execve /sbin/init argv[0]=/sbin/init args=1 "
	"env=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n";
#define ARM_CALLS 3
#define HANDOVER_CALLS (16 + HIDING_CALLS)

static const struct result *hand_over(unsigned int fail_call, int fail_errno)
{
	make_boot(2, PLAN_UPPER_TMPFS, true);
	boot.plan.on_corruption = VERITY_ON_CORRUPTION_RESTART;
	fake_verity_reset(fail_call, fail_errno);
	return in_root(step_handover, fill_sysroot);
}

static void test_handover(void **state)
{
	const struct result *result = hand_over(0, 0);

	(void)state;
	assert_memory_equal(result->log, handover_calls, strlen(handover_calls));
	assert_non_null(strstr(result->log, execve_call));
	/* it comes back only where the agent cannot be executed */
	expect_failure("execve", result->r, &result->e, FAIL_AGENT_EXEC_FAILED,
		       "execute /sbin/init: Exec format error");
}

static void test_each_handover_call_fails(void **state)
{
	const struct result *compressed = hand_over(1, EOPNOTSUPP);

	(void)state;
	expect_failure("compressed", compressed->r, &compressed->e, FAIL_KERNEL_FEATURE_MISSING,
		       "without CONFIG_EROFS_FS_ZIP");
	for (unsigned int call = 1; call <= HANDOVER_CALLS; call++) {
		const struct result *result = hand_over(call, EIO);

		if (call == ARM_CALLS + HIDING_CALLS + 1)
			continue; /* verity_release() cannot fail */
		assert_true(result->r < 0);
		assert_int_not_equal(result->e.code, FAIL_NONE);
		assert_int_equal(result->calls, call);
		assert_null(strstr(result->log, "execve"));
		if (call == 2 || call == 3)
			assert_string_equal(result->e.volume, call == 2 ? "layer-0" : "layer-1");
	}
}

/* Where nothing is proved, systemd's own ways are not our matter. */
static void test_generators_of_an_unproved_root(void **state)
{
	const struct result *result;

	(void)state;
	make_boot(1, PLAN_UPPER_TMPFS, true);
	boot.plan.layer[0].proof = VOLUME_RAW;
	fake_verity_reset(0, 0);
	result = in_root(step_handover, fill_sysroot);
	assert_null(strstr(result->log, "generator"));
	assert_non_null(strstr(result->log, "execve"));
}

/* A rootfs of Kata's would open what is open; systemd is told not to try. */
static void test_extensions_are_not_opened_twice(void **state)
{
	static const char hiding[] =
		"verity_arm extension-coco 0\n"
		HIDING("systemd-gpt-auto-generator")
		HIDING("kata-extension-mount-generator");
	const struct result *result;

	(void)state;
	make_boot(1, PLAN_UPPER_TMPFS, true);
	boot.plan.extensions = 1;
	volume_init(&boot.plan.extension[0], "extension-coco", "extension-coco");
	boot.open[1].volume = &boot.plan.extension[0];
	strcpy(boot.open[1].device.name, "extension-coco");
	boot.open_count = 2;
	fake_verity_reset(0, 0);
	result = in_root(step_handover, fill_sysroot);
	assert_non_null(strstr(result->log, hiding));
	/* and a folder or a link that cannot be made ends the boot */
	for (unsigned int call = ARM_CALLS + 1; call <= ARM_CALLS + 2 * HIDING_CALLS; call++) {
		fake_verity_reset(call, EIO);
		result = in_root(step_handover, fill_sysroot);
		expect_failure("hiding", result->r, &result->e, FAIL_SYSTEM_CALL_FAILED,
			       "/run/systemd");
		assert_int_equal(result->calls, call);
	}
}

/* The agent is looked at before the policy is loaded and the initramfs given up. */
static void test_agents(void **state)
{
	static const struct {
		const char *path;
		enum fail_code code;
		const char *words;
	} rows[] = {
		{ "/sbin/absent", FAIL_AGENT_MISSING, "open /sbin/absent in the new root: No" },
		{ "/sbin/nowhere", FAIL_AGENT_MISSING, "open /sbin/nowhere in the new root" },
		{ "/sbin/folder", FAIL_AGENT_MISSING, "/sbin/folder is not a file" },
		/* and nobody waits for who writes into it */
		{ "/sbin/fifo", FAIL_AGENT_MISSING, "/sbin/fifo is not a file" },
		{ "/sbin/text", FAIL_AGENT_EXEC_FAILED, "/sbin/text has no right to be executed" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct result *result;

		make_boot(2, PLAN_UPPER_TMPFS, true);
		strcpy(boot.plan.agent, rows[i].path);
		fake_verity_reset(0, 0);
		result = in_root(step_handover, fill_sysroot);
		expect_failure(rows[i].path, result->r, &result->e, rows[i].code, rows[i].words);
		assert_int_equal(result->calls, 1);
	}
}

static void test_handover_after_a_bad_block(void **state)
{
	const struct result *result;

	(void)state;
	make_boot(2, PLAN_UPPER_TMPFS, true);
	fake_verity_reset(0, 0);
	fake_bad_device = "socle-layer-1";
	result = in_root(step_handover, fill_sysroot);
	expect_failure("bad block", result->r, &result->e, FAIL_DATA_CORRUPT, "does not match");
	assert_string_equal(result->e.volume, "layer-1");
	assert_int_equal(result->calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verity),
		cmocka_unit_test(test_signatures),
		cmocka_unit_test(test_verity_fails),
		cmocka_unit_test(test_mounts),
		cmocka_unit_test(test_each_mount_call_fails),
		cmocka_unit_test(test_bad_block_is_told),
		cmocka_unit_test(test_as_many_of_each),
		cmocka_unit_test(test_api),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_handover),
		cmocka_unit_test(test_each_handover_call_fails),
		cmocka_unit_test(test_generators_of_an_unproved_root),
		cmocka_unit_test(test_extensions_are_not_opened_twice),
		cmocka_unit_test(test_agents),
		cmocka_unit_test(test_handover_after_a_bad_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
