// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Status texts, error texts and the assert hook.
#include "base/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_OF(value) #value
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char* pl_version(void) {
    return VERSION_TEXT(PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
}

const char* pl_status_text(pl_status status) {
#define STATUS_TEXT(code, text) text,
    static const char* const texts[] = {PL_STATUS_LIST(STATUS_TEXT)};
#undef STATUS_TEXT
    return (unsigned)status < PL_STATUS_COUNT ? texts[status] : "unknown status";
}

pl_status pl_fail(pl_error* error, pl_status status, const char* format, ...) {
    if (error) {
        error->status = status;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

pl_status pl_write_status(int error_number) {
    switch (error_number) {
    case ENOSPC:
#ifdef EDQUOT // Windows has none
    case EDQUOT:
#endif
    case EFBIG:
    case EIO: return PL_ERROR_DISK;
    default: return PL_ERROR_IO;
    }
}

pl_status pl_fail_memory(pl_error* error, const char* what) {
    return pl_fail(error, PL_ERROR_MEMORY, "out of memory for %s", what);
}

static struct {
    pl_assert_callback callback;
    void* user;
} hook;

void pl_set_assert(pl_assert_callback callback, void* user) {
    hook.callback = callback;
    hook.user = user;
}

void pl_assert_failed(const char* condition, const char* file, int line) {
    if (hook.callback) {
        hook.callback(condition, file, line, hook.user);
        return;
    }
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
