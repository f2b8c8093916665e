// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/pfn.h"

#include <string.h>

#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/le.h"

#define INFO_SIZE   4096
#define AT_CHECKSUM (INFO_SIZE - 8)
#define MODE_RAM    1 /* the page structures are in the guest's memory */
#define PAGE        4096
#define ALIGNMENT   (2 << 20) /* so that huge pages map it */

static uint64_t fletcher64(const uint8_t *bytes, size_t size)
{
	uint32_t low = 0;
	uint64_t high = 0;

	for (size_t i = 0; i < size; i += 4) {
		low += (uint32_t)le_get(bytes + i, 4);
		high += low;
	}
	return high << 32 | low;
}

int pfn_write(int fd, uint64_t size, const uint8_t uuid[UUID_SIZE], struct err *e)
{
	uint8_t info[INFO_SIZE] = "NVDIMM_PFN_INFO";
	int r;

	memcpy(info + 16, uuid, UUID_SIZE);
	le_put(info + 52, 2, 1);
	le_put(info + 54, 2, 2);
	le_put(info + 56, 8, PFN_HEADER_BYTES);
	le_put(info + 64, 8, (size - PFN_HEADER_BYTES) / PAGE);
	le_put(info + 72, 4, MODE_RAM);
	le_put(info + 84, 4, ALIGNMENT);
	le_put(info + AT_CHECKSUM, 8, fletcher64(info, sizeof(info)));
	r = write_all_at(fd, info, sizeof(info), PFN_INFO_OFFSET);
	return r ? system_result(e, r, "write the information block") : 0;
}
