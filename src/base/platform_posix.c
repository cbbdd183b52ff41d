// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

// ---------------------------------------------------------------- files

int pl_file_open(const char* path, pl_file_use use) {
    static const int flags[] = {
        [PL_FILE_READ] = O_RDONLY | O_NONBLOCK, // which only matters for a FIFO
        [PL_FILE_UPDATE] = O_RDWR,
        [PL_FILE_WRITE] = O_WRONLY | O_CREAT,
        [PL_FILE_APPEND] = O_WRONLY | O_CREAT | O_APPEND,
        [PL_FILE_RESTART] = O_WRONLY | O_CREAT | O_APPEND | O_TRUNC,
    };
    return open(path, flags[use] | O_CLOEXEC, 0666);
}

int pl_file_create_temporary(char* path) {
    int file = mkstemp(path);
    if (file < 0) return -1;
    fcntl(file, F_SETFD, FD_CLOEXEC);
    mode_t mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask); // mkstemp gives 0600
    return file;
}

const char* pl_file_kind(int file, uint64_t* size) {
    struct stat info;
    *size = 0;
    if (fstat(file, &info) != 0) return "unreadable";
    if (S_ISREG(info.st_mode)) {
        *size = (uint64_t)info.st_size;
        return NULL;
    }
    return S_ISDIR(info.st_mode)    ? "a directory"
           : S_ISFIFO(info.st_mode) ? "a FIFO"
           : S_ISSOCK(info.st_mode) ? "a socket"
                                    : "a device";
}

ssize_t pl_file_read_at(int file, void* data, size_t size, uint64_t offset) {
    return pread(file, data, size, (off_t)offset);
}

ssize_t pl_file_write_at(int file, const void* data, size_t size, uint64_t offset) {
    return pwrite(file, data, size, (off_t)offset);
}

int pl_file_sync(int file) {
    return fsync(file) == 0 || errno == EINVAL ? 0 : -1; // EINVAL: a file without a disk
}

int pl_file_replace(const char* from, const char* to) { return rename(from, to); }

// ---------------------------------------------------------------- folders and paths

int pl_folder_make(const char* path) { return mkdir(path, 0777); }

int pl_folder_make_temporary(const char* prefix, char* path, size_t size) {
    const char* base = getenv("TMPDIR");
    snprintf(path, size, "%s/%s-XXXXXX", base && *base ? base : "/tmp", prefix);
    return mkdtemp(path) ? 0 : -1;
}

int pl_folder_lock(const char* path) {
    int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // a file system without locks is not an error
    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return file;
    close(file);
    errno = EWOULDBLOCK;
    return -1;
}

bool pl_path_is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool pl_path_is_absolute(const char* path) { return path[0] == '/'; }

bool pl_path_is_separator(char c) { return c == '/'; }

const char* pl_path_last_separator(const char* path) { return strrchr(path, '/'); }

bool pl_path_real(const char* path, char* real, size_t size) {
    char* found = realpath(path, NULL);
    bool fits = found && strlen(found) < size;
    if (fits) memcpy(real, found, strlen(found) + 1);
    free(found);
    return fits;
}

// ---------------------------------------------------------------- the rest

bool pl_parse_number(const char* text, double* value) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale) return false;
    *value = strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    return true;
}

const void* pl_find_bytes(const void* data, size_t size, const void* part, size_t part_size) {
    return memmem(data, size, part, part_size);
}

#ifdef __linux__
// the number in the first line of the file that matches the format, or 0
static double read_number(const char* path, const char* format) {
    char line[256];
    double value = 0.0;
    FILE* file = fopen(path, "r");
    while (file && value == 0.0 && fgets(line, sizeof line, file))
        if (sscanf(line, format, &value) != 1) value = 0.0;
    if (file) fclose(file);
    return value;
}

// A container often sees the memory of its host but has a limit of its own.
double pl_memory_available(void) {
    double free_bytes = 1024.0 * read_number("/proc/meminfo", "MemAvailable: %lf kB"),
           limit = read_number("/sys/fs/cgroup/memory.max", "%lf");
    return limit > 0.0 && limit < free_bytes ? limit : free_bytes;
}
#else
double pl_memory_available(void) {
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}
#endif

void* pl_aligned_alloc(size_t alignment, size_t size) {
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void pl_aligned_free(void* memory) { free(memory); }

int pl_thread_start(pthread_t* thread, void* (*run)(void*), void* user) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

void pl_on_interrupt(void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void pl_command_begin(void) { signal(SIGXFSZ, SIG_IGN); }
