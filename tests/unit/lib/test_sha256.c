// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <string.h>

#include "lib/hex.h"
#include "lib/sha256.h"

static void expect(const void *data, size_t size, const char *hex)
{
	char text[2 * SHA256_SIZE + 1];
	uint8_t digest[SHA256_SIZE];

	sha256(data, size, digest);
	hex_encode(digest, sizeof(digest), text);
	assert_string_equal(text, hex);
}

/* FIPS 180-4's examples, from NIST's page of them, and the empty message. */
static void test_examples(void **state)
{
	static const struct {
		const char *text, *hex;
	} rows[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(rows[i].text, strlen(rows[i].text), rows[i].hex);
}

/* Where the padding needs a block of its own, and where the message fills its last one. */
static void test_lengths(void **state)
{
	static const struct {
		size_t size;
		const char *hex; /* head -c SIZE /dev/zero | tr '\0' '\245' | sha256sum */
	} rows[] = {
		{ 1, "6922e93e3827642ce4b883c756b31abf80036649d3614bf5fcb3adda43b8ea32" },
		{ 55, "26ee0116778740a66fe2ba10ea063748b27306acc99188ec812746d4e8d70083" },
		{ 56, "4cf71e2b0aa0fcc0c271f68353026a77b8e50153632a8e4a73833cd64080e92e" },
		{ 63, "a1942663a5b8b93dffc9c4ff5f62c71a1c021d1fcc1e470dd46172abace1bca5" },
		{ 64, "bb626e5577021df95ea17eb6339e75904855b80087e40660931c4a89b302f74a" },
		{ 65, "667f84020d981fcedce2816e4e9969a02d5c317a0aef56a6c588175820f82a81" },
		{ 119, "d4f197a1127980fe239c189bab09428d00de243c790ea7cad66f03928d992c89" },
		{ 120, "2065fa2ca0929999a6887714ef1af9d994cd93ab5ea165d4b426d7dc34f1e226" },
		{ 128, "39557315215be0f6922cec45d29336c8f72198032cababdc5ec0672d45e894ad" },
		{ 1000000, "da7bcf32bd0ec1a345215bdd86d2904ed4592dc90ab209cd72eed2c416eecb30" },
	};
	static uint8_t data[1000000];

	(void)state;
	memset(data, 0xa5, sizeof(data));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(data, rows[i].size, rows[i].hex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
