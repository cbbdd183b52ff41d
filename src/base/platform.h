// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What differs between operating systems. platform_posix.c and platform_windows.c define the same
// functions, so that other sources need not know the system. Calls that fail set errno, as in the C
// library. Files are descriptors for read, write, lseek, ftruncate and close.
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
    PL_FILE_WRITE,   // created if missing; its contents are kept
    PL_FILE_APPEND,  // created if missing; writes go to its end
    PL_FILE_RESTART, // as PL_FILE_APPEND, but emptied first
} pl_file_use;

// Returns a descriptor that child processes do not inherit, or -1. Line ends are not translated.
// Opening a FIFO does not wait for its writer.
int pl_file_open(const char* path, pl_file_use use);

// Creates a file with ordinary permissions. path ends in XXXXXX, which is replaced to make a name
// that no other file has. Returns a descriptor or -1.
int pl_file_create_temporary(char* path);

// NULL for a regular file, whose size is in *size; else what it is: "a directory", "a FIFO", ...
const char* pl_file_kind(int file, uint64_t* size);

// Like pread and pwrite; only one thread at a time may use the file.
ssize_t pl_file_read_at(int file, void* data, size_t size, uint64_t offset);
ssize_t pl_file_write_at(int file, const void* data, size_t size, uint64_t offset);

// Returns 0 once everything written is on the disk, or -1 on failure.
int pl_file_sync(int file);

// Renames a file, replacing one that has the new name. Both may be open. Returns 0 or -1.
int pl_file_replace(const char* from, const char* to);

// ---------------------------------------------------------------- folders and paths

// Returns 0 or -1, with EEXIST if the name is taken.
int pl_folder_make(const char* path);

// Creates a new folder for temporary files; its name begins with the prefix. Returns 0 or -1.
int pl_folder_make_temporary(const char* prefix, char* path, size_t size);

// Locks a folder against other processes until the returned descriptor is closed. Returns -1 on
// failure; errno is EWOULDBLOCK if another process holds the lock.
int pl_folder_lock(const char* path);

bool pl_path_is_folder(const char* path);
bool pl_path_is_absolute(const char* path);

bool pl_path_is_separator(char c);

// The separator before the last part of the path, or NULL.
const char* pl_path_last_separator(const char* path);

// Ignores case. False if the path is nothing but the ending.
static inline bool pl_path_ends_in(const char* path, const char* ending) {
    size_t size = strlen(path), n = strlen(ending);
    return size > n && strcasecmp(path + size - n, ending) == 0;
}

// The canonical absolute path of an existing file, with links resolved. False if the file does not
// exist or the path does not fit.
bool pl_path_real(const char* path, char* real, size_t size);

// ---------------------------------------------------------------- the rest

// Parses the number at the start of the text as in the C locale. False if that locale is not
// available.
bool pl_parse_number(const char* text, double* value);

// The first occurrence of `part` in `data`, or NULL.
const void* pl_find_bytes(const void* data, size_t size, const void* part, size_t part_size);

// Memory that this process can still use without swapping [bytes]; 0 if unknown.
double pl_memory_available(void);

void* pl_aligned_alloc(size_t alignment, size_t size);
void pl_aligned_free(void* memory);

// Starts a thread that receives no signals, so that the host's threads get them. Returns 0 or an
// error number.
int pl_thread_start(pthread_t* thread, void* (*run)(void*), void* user);

// Calls the handler at the first Ctrl-C or SIGTERM; the second one ends the process.
void pl_on_interrupt(void (*handler)(int));

// Called first in the main function of a command. Afterwards standard streams do not translate line
// ends, and writing beyond a file size limit is an error instead of ending the process.
void pl_command_begin(void);

#endif
