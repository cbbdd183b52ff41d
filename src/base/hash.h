// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Hashes that are the same on every machine: of bytes (checksums, golden results) and of small
// integers.
#ifndef PL_BASE_HASH_H
#define PL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// FNV-1a over 8-byte words, then the remaining bytes, then a final mix. To hash several pieces,
// pass the hash of one as the seed of the next.
uint64_t pl_hash_bytes(const void* data, size_t size, uint64_t seed);

// Every output bit depends on every input bit (the finaliser of splitmix64).
static inline uint64_t pl_hash_mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
