// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Blocks of many megabytes, on large pages where the system has them. The system clears a page when
// it is first touched, so a fresh block costs nothing until then, and threads that fill it together
// share that cost. Freed blocks are kept for later allocations, up to a limit: clearing memory that
// is already mapped costs a fraction of a fresh page.
#ifndef PL_BASE_LARGE_BLOCKS_H
#define PL_BASE_LARGE_BLOCKS_H

#include <stddef.h>

// Sizes from here on are large.
enum { PL_LARGE_BLOCK = 1 << 22 };

// Zeroed memory, aligned to a large page; NULL if there is none. Callable from any thread.
void* pl_large_alloc(size_t size);
// size: the one passed to pl_large_alloc.
void pl_large_free(void* memory, size_t size);
// Bytes of freed blocks that are kept.
size_t pl_large_kept(void);

#endif
