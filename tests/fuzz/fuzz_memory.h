// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The allocator of the fuzz targets: remembers the peak, and refuses what only a lying count asks
// for.
#ifndef PL_FUZZ_MEMORY_H
#define PL_FUZZ_MEMORY_H

#include <pliant/status.h>
#include <stdlib.h>

static size_t peak;

static void* counting_alloc(size_t size, void* user) {
    (void)user;
    size_t now = pl_byte_count() + size;
    if (now > peak) peak = now;
    return now > ((size_t)1 << 30) ? NULL : aligned_alloc(64, (size + 63) / 64 * 64);
}

static void counting_release(void* memory, size_t size, void* user) {
    (void)size, (void)user;
    free(memory);
}

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerInitialize(int* argc, char*** argv) {
    (void)argc, (void)argv;
    pl_set_allocator(&(pl_allocator){counting_alloc, counting_release, NULL});
    return 0;
}

#endif
