// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/hash.h"

uint64_t pl_hash_bytes(const void* data, size_t size, uint64_t seed) {
    const unsigned char* bytes = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ pl_hash_mix(seed);
    for (; size >= 8; size -= 8, bytes += 8) {
        // little-endian by hand, so that the hash does not depend on the machine
        uint64_t word = 0;
        for (int i = 0; i < 8; i++) word |= (uint64_t)bytes[i] << (8 * i);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    for (; size > 0; size--) hash = (hash ^ *bytes++) * UINT64_C(0x100000001b3);
    return pl_hash_mix(hash);
}
