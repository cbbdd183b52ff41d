// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What differs between operating systems: platform_posix.c and platform_windows.c have the same
// functions, and no other source asks which system it is built for. Calls that fail set errno, as
// those of the C library do. Files are descriptors for read, write, lseek, ftruncate and close.
#ifndef PL_BASE_PLATFORM_H
#define PL_BASE_PLATFORM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

// ---------------------------------------------------------------- files

typedef enum pl_file_use {
    PL_FILE_READ,
    PL_FILE_UPDATE,  // an existing file, to read and write
    PL_FILE_WRITE,   // created if missing; what it holds is kept
    PL_FILE_APPEND,  // created if missing; all is written to its end
    PL_FILE_RESTART, // as PL_FILE_APPEND, and emptied
} pl_file_use;

// A descriptor, not inherited by other processes, or -1. Bytes pass as they are, without changes to
// line ends. Opening a FIFO does not wait for its writer.
int pl_file_open(const char* path, pl_file_use use);

// A new file with the permissions of a usual one. path ends in XXXXXX, which is replaced so that no
// file has that name yet. Returns a descriptor or -1.
int pl_file_create_temporary(char* path);

// NULL for a regular file, whose size is in *size; else what it is: "a directory", "a FIFO", ...
const char* pl_file_kind(int file, uint64_t* size);

// Like pread and pwrite; only one thread at a time may use the file.
ssize_t pl_file_read_at(int file, void* data, size_t size, uint64_t offset);
ssize_t pl_file_write_at(int file, const void* data, size_t size, uint64_t offset);

// 0 when the disk has what was written; -1 if that failed.
int pl_file_sync(int file);

// Renames, replacing what has the name already. The files may be open. 0 or -1.
int pl_file_replace(const char* from, const char* to);

// ---------------------------------------------------------------- folders and paths

// 0 or -1, with EEXIST if something has that name.
int pl_folder_make(const char* path);

// A folder of its own for temporary files, whose name begins with the prefix. 0 or -1.
int pl_folder_make_temporary(const char* prefix, char* path, size_t size);

// Keeps other processes from locking the same folder until the descriptor that it returns is
// closed. Returns -1 with errno EWOULDBLOCK if another process has it, or with another reason.
int pl_folder_lock(const char* path);

bool pl_path_is_folder(const char* path);
bool pl_path_is_absolute(const char* path);

bool pl_path_is_separator(char c);

// The separator before the last part of the path, or NULL.
const char* pl_path_last_separator(const char* path);

// Upper and lower case count as the same; the ending alone is not enough.
static inline bool pl_path_ends_in(const char* path, const char* ending) {
    size_t size = strlen(path), n = strlen(ending);
    return size > n && strcasecmp(path + size - n, ending) == 0;
}

// The one absolute path of an existing file, by whatever name it is reached. False if there is no
// such file or no room.
bool pl_path_real(const char* path, char* real, size_t size);

// ---------------------------------------------------------------- the rest

// The number at the start of the text, as the C locale reads it. False if there is no such locale.
bool pl_parse_number(const char* text, double* value);

// The first place of `part` in `data`, or NULL.
const void* pl_find_bytes(const void* data, size_t size, const void* part, size_t part_size);

// Memory that this process may still take without pushing others out [bytes]; 0 if the system does
// not say.
double pl_memory_available(void);

void* pl_aligned_alloc(size_t alignment, size_t size);
void pl_aligned_free(void* memory);

// Starts a thread that receives no signals: they are for the threads of the host. Returns 0 or an
// error number.
int pl_thread_start(pthread_t* thread, void* (*run)(void*), void* user);

// Calls the handler at the first request to end (Ctrl-C, SIGTERM); the second ends the process.
void pl_on_interrupt(void (*handler)(int));

// For the main function of a command. Its streams pass bytes as they are, and a file that reaches
// its size limit fails to be written instead of ending the process.
void pl_command_begin(void);

#endif
