// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Common to all calls: visibility, version, status, error text, notes, allocator, log.
#ifndef PLIANT_STATUS_H
#define PLIANT_STATUS_H

#include <stddef.h>
#include <stdint.h>

// Visibility of public functions, and checked format strings.
#ifdef _WIN32
#include <pliant/windows_api.h>
#else
#define PL_API __attribute__((visibility("default")))
#define PL_PRINTF(format_index, first_argument)                                                    \
    __attribute__((format(printf, format_index, first_argument)))
#endif

#define PL_VERSION_MAJOR 0
#define PL_VERSION_MINOR 1
#define PL_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/// "major.minor.patch" of the library that is linked.
PL_API const char* pl_version(void);

// code and general meaning; the error text says what happened in this case
#define PL_STATUS_LIST(X)                                                                          \
    X(PL_OK, "done")                                                                               \
    X(PL_ERROR_ARGUMENT, "an argument is not valid")                                               \
    X(PL_ERROR_MEMORY, "out of memory")                                                            \
    X(PL_ERROR_IO, "a file could not be read or written")                                          \
    X(PL_ERROR_FORMAT, "a file is not what it claims to be")                                       \
    X(PL_ERROR_UNSUPPORTED, "valid, but not handled by pliant")                                    \
    X(PL_ERROR_MESH, "the mesh cannot be used")                                                    \
    X(PL_ERROR_LIMIT, "a limit was reached")                                                       \
    X(PL_ERROR_DIVERGED, "the step diverged; the last good state was restored")                    \
    X(PL_ERROR_DISK, "a disk is full or broken; the path itself is right")

#define PL_STATUS_ENUM(code, text) code,
typedef enum pl_status { PL_STATUS_LIST(PL_STATUS_ENUM) PL_STATUS_COUNT } pl_status;
#undef PL_STATUS_ENUM

/// The general text of a status, never NULL.
PL_API const char* pl_status_text(pl_status status);

/// Filled by a call that fails: what is wrong, where, and what to do. Calls take a pointer to one,
/// or NULL.
typedef struct pl_error {
    pl_status status;
    char text[1024];
} pl_error;

/// What a call noticed, changed or left out, in order. Every repair is noted here.
typedef struct pl_notes pl_notes;

typedef enum pl_note_kind {
    PL_NOTE_INFO,   ///< worth knowing
    PL_NOTE_MENDED, ///< dropped, clamped or repaired; an error in strict mode
} pl_note_kind;

/// Returns PL_ERROR_MEMORY and leaves *out NULL if memory runs out.
PL_API pl_status pl_notes_create(pl_notes** out);
PL_API void pl_notes_destroy(pl_notes* notes);
PL_API int pl_notes_count(const pl_notes* notes);
/// Text of a note, valid until the notes change; kind may be NULL.
PL_API const char* pl_notes_text(const pl_notes* notes, int index, pl_note_kind* kind);

/// The host's allocator. alloc returns memory aligned to 64 bytes or NULL; release gets the size
/// passed to alloc. Set it while no pliant object exists. NULL restores the default.
typedef struct pl_allocator {
    void* (*alloc)(size_t size, void* user);
    void (*release)(void* memory, size_t size, void* user);
    void* user;
} pl_allocator;
PL_API void pl_set_allocator(const pl_allocator* allocator);

/// Bytes that pliant has allocated: 0 once everything created has been destroyed.
PL_API size_t pl_byte_count(void);

typedef enum pl_log_level { PL_LOG_ERROR, PL_LOG_WARNING, PL_LOG_INFO, PL_LOG_DEBUG } pl_log_level;
typedef void (*pl_log_callback)(pl_log_level level, const char* text, void* user);
/// Receives messages up to the given level. Every note is a message, even if no list of notes was
/// passed: a warning if something was mended, otherwise an info. PL_LOG_DEBUG also announces parts
/// of a set-up that may take long. Errors are returned, not logged. Without a callback, the
/// default, pliant prints nothing.
PL_API void pl_set_log(pl_log_callback callback, pl_log_level level, void* user);

/// Called when an assertion fails. It may return; the call then continues at its own risk. The
/// default prints the location to stderr and aborts. Release builds do not check assertions.
typedef void (*pl_assert_callback)(const char* condition, const char* file, int line, void* user);
PL_API void pl_set_assert(pl_assert_callback callback, void* user);

#ifdef __cplusplus
}
#endif
#endif
