// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Paths are in the code page of the process, as for fopen; the command sets it to UTF-8. Files are
// opened so that they can be renamed and removed while open, as on other systems.
#include "base/large_blocks.h"
#include "base/platform.h"
#include "base/pool.h"
#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

// ---------------------------------------------------------------- errors

// sets errno from the last Windows error; returns -1
static int fail_last(void) {
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH: errno = ENOENT; break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: errno = EEXIST; break;
    case ERROR_SHARING_VIOLATION:
    case ERROR_ACCESS_DENIED: errno = EACCES; break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: errno = ENOSPC; break;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: errno = ENOMEM; break;
    default: errno = EIO; break;
    }
    return -1;
}

static HANDLE handle_of(int file) { return (HANDLE)_get_osfhandle(file); }

// a descriptor that takes ownership of the handle
static int descriptor_of(HANDLE handle, int flags) {
    if (handle == INVALID_HANDLE_VALUE) return fail_last();
    int file = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
    if (file < 0) CloseHandle(handle);
    return file;
}

// ---------------------------------------------------------------- files

enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

int pl_file_open(const char* path, pl_file_use use) {
    static const struct {
        DWORD access, creation;
        int flags;
    } uses[] = {
        [PL_FILE_READ] = {GENERIC_READ, OPEN_EXISTING, _O_RDONLY},
        [PL_FILE_UPDATE] = {GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING, _O_RDWR},
        [PL_FILE_WRITE] = {GENERIC_WRITE, OPEN_ALWAYS, _O_WRONLY},
        [PL_FILE_APPEND] = {GENERIC_WRITE, OPEN_ALWAYS, _O_WRONLY | _O_APPEND},
        [PL_FILE_RESTART] = {GENERIC_WRITE, CREATE_ALWAYS, _O_WRONLY | _O_APPEND},
    };
    if (pl_path_is_folder(path)) {
        errno = EISDIR;
        return -1;
    }
    HANDLE handle = CreateFileA(path, uses[use].access, SHARED, NULL, uses[use].creation,
                                FILE_ATTRIBUTE_NORMAL, NULL);
    return descriptor_of(handle, uses[use].flags);
}

// Replaces the six X at the end of the name, differently for each try.
static void vary_name(char* path, uint64_t try) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    LARGE_INTEGER ticks;
    QueryPerformanceCounter(&ticks);
    pl_random random = {(uint64_t)ticks.QuadPart + ((uint64_t)GetCurrentProcessId() << 32) + try};
    char* end = path + strlen(path);
    for (int k = 1; k <= 6; k++) end[-k] = letters[pl_random_int(&random, 36)];
}

int pl_file_create_temporary(char* path) {
    for (uint64_t try = 0; try < 100; try++) {
        vary_name(path, try);
        HANDLE handle = CreateFileA(path, GENERIC_READ | GENERIC_WRITE | DELETE, SHARED, NULL,
                                    CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
        int file = descriptor_of(handle, _O_RDWR);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

const char* pl_file_kind(int file, uint64_t* size) {
    LARGE_INTEGER bytes;
    *size = 0;
    if (GetFileType(handle_of(file)) == FILE_TYPE_PIPE) return "a pipe";
    if (GetFileType(handle_of(file)) != FILE_TYPE_DISK) return "a device";
    if (!GetFileSizeEx(handle_of(file), &bytes)) return "unreadable";
    *size = (uint64_t)bytes.QuadPart;
    return NULL;
}

static OVERLAPPED place_of(uint64_t offset) {
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

ssize_t pl_file_read_at(int file, void* data, size_t size, uint64_t offset) {
    OVERLAPPED place = place_of(offset);
    DWORD done = 0, most = size < (1u << 30) ? (DWORD)size : 1u << 30;
    if (ReadFile(handle_of(file), data, most, &done, &place)) return (ssize_t)done;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : fail_last();
}

ssize_t pl_file_write_at(int file, const void* data, size_t size, uint64_t offset) {
    OVERLAPPED place = place_of(offset);
    DWORD done = 0, most = size < (1u << 30) ? (DWORD)size : 1u << 30;
    return WriteFile(handle_of(file), data, most, &done, &place) ? (ssize_t)done : fail_last();
}

int pl_file_sync(int file) { return FlushFileBuffers(handle_of(file)) ? 0 : fail_last(); }

int pl_file_replace(const char* from, const char* to) {
    if (pl_path_is_folder(to)) {
        errno = EISDIR;
        return -1;
    }
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : fail_last();
}

// ---------------------------------------------------------------- folders and paths

int pl_folder_make(const char* path) { return CreateDirectoryA(path, NULL) ? 0 : fail_last(); }

int pl_folder_make_temporary(const char* prefix, char* path, size_t size) {
    char base[MAX_PATH + 1];
    DWORD used = GetTempPathA(sizeof base, base); // ends with a separator
    if (used == 0 || used > sizeof base) return fail_last();
    snprintf(path, size, "%s%s-XXXXXX", base, prefix);
    for (uint64_t try = 0; try < 100; try++) {
        vary_name(path, try);
        if (pl_folder_make(path) == 0) return 0;
        if (errno != EEXIST) return -1;
    }
    return -1;
}

// Folders cannot be locked here, so a file in the folder is. The system removes the file when its
// process closes it or ends.
int pl_folder_lock(const char* path) {
    char name[4096];
    if (!pl_path_is_folder(path)) {
        errno = ENOENT;
        return -1;
    }
    snprintf(name, sizeof name, "%s/.lock", path);
    HANDLE handle = CreateFileA(name, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                                FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    bool is_taken = handle == INVALID_HANDLE_VALUE && (GetLastError() == ERROR_SHARING_VIOLATION ||
                                                       GetLastError() == ERROR_ACCESS_DENIED);
    int file = descriptor_of(handle, _O_WRONLY);
    if (is_taken) errno = EWOULDBLOCK;
    return file;
}

bool pl_path_is_folder(const char* path) {
    DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

static bool has_drive(const char* path) {
    char letter = (char)(path[0] | 0x20);
    return letter >= 'a' && letter <= 'z' && path[1] == ':';
}

bool pl_path_is_absolute(const char* path) {
    return pl_path_is_separator(path[0]) || has_drive(path);
}

bool pl_path_is_separator(char c) { return c == '/' || c == '\\'; }

const char* pl_path_last_separator(const char* path) {
    const char* last = has_drive(path) ? path + 1 : NULL;
    for (const char* p = path; *p; p++)
        if (pl_path_is_separator(*p)) last = p;
    return last;
}

bool pl_path_real(const char* path, char* real, size_t size) {
    HANDLE handle =
        CreateFileA(path, 0, SHARED, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE) return false;
    DWORD used = GetFinalPathNameByHandleA(handle, real, (DWORD)size, FILE_NAME_NORMALIZED);
    CloseHandle(handle);
    return used > 0 && used < size;
}

// ---------------------------------------------------------------- the rest

bool pl_parse_number(const char* text, double* value) {
    _locale_t c_locale = _create_locale(LC_ALL, "C");
    if (!c_locale) return false;
    *value = _strtod_l(text, NULL, c_locale);
    _free_locale(c_locale);
    return true;
}

const void* pl_find_bytes(const void* data, size_t size, const void* part, size_t part_size) {
    const char *at = data, *first = part;
    if (part_size == 0) return data;
    for (const char* end = at + size; (size_t)(end - at) >= part_size; at++) {
        at = memchr(at, *first, (size_t)(end - at) - part_size + 1);
        if (!at || memcmp(at, part, part_size) == 0) return at;
    }
    return NULL;
}

double pl_memory_available(void) {
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? (double)status.ullAvailPhys : 0.0;
}

void* pl_aligned_alloc(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }
void pl_aligned_free(void* memory) { _aligned_free(memory); }

// Every block goes back to the system at once: part of a mapping cannot be returned here.
void* pl_large_alloc(size_t size) {
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void pl_large_free(void* memory, size_t size) {
    (void)size;
    VirtualFree(memory, 0, MEM_RELEASE);
}

size_t pl_large_kept(void) { return 0; }

int pl_usable_cpu_count(void) {
    DWORD_PTR usable = 0, all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &usable, &all)) return 1;
    int count = __builtin_popcountll((unsigned long long)usable);
    return count > 1 ? count : 1;
}

int pl_thread_start(pthread_t* thread, void* (*run)(void*), void* user) {
    return pthread_create(thread, NULL, run, user);
}

// the system restores the default handler when a signal is handled
void pl_on_interrupt(void (*handler)(int)) {
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
}

void pl_command_begin(void) {
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
}
