// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Error returns with a text, and assertions.
#ifndef PL_BASE_FAIL_H
#define PL_BASE_FAIL_H

#include <pliant/status.h>

// Fills error, if there is one, and returns status: `return pl_fail(error, PL_ERROR_IO, "%s: ...",
// path);`
pl_status pl_fail(pl_error* error, pl_status status, const char* format, ...) PL_PRINTF(3, 4);

// Fails with PL_ERROR_MEMORY and the usual text for it.
pl_status pl_fail_memory(pl_error* error, const char* what);

// The status for a write that failed with this errno: PL_ERROR_DISK if the disk is full or broken,
// else PL_ERROR_IO, as a path that cannot be written is the caller's mistake.
pl_status pl_write_status(int error_number);

void pl_assert_failed(const char* condition, const char* file, int line);

// A programmer's mistake, checked in debug and sanitizer builds. PL_VALIDATE is for checks that
// cost time.
#if defined(NDEBUG) || defined(PL_NO_ASSERT)
#define PL_ASSERT(condition) ((void)0)
#define PL_VALIDATE(condition) ((void)0)
#else
#define PL_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : pl_assert_failed(#condition, __FILE__, __LINE__))
#ifdef PL_VALIDATION
#define PL_VALIDATE(condition) PL_ASSERT(condition)
#else
#define PL_VALIDATE(condition) ((void)0)
#endif
#endif

#endif
