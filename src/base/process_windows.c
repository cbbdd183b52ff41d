// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <string.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

enum { LINE_SIZE = 8192 }; // limit of the command line on old systems

// Adds one argument in quotes, as C runtimes parse them: backslashes are special only before a
// quote.
static bool add_argument(char* line, const char* argument) {
    size_t used = strlen(line), backslashes = 0;
    if (used + 2 * strlen(argument) + 4 > LINE_SIZE) return false;
    char* out = line + used;
    if (used) *out++ = ' ';
    *out++ = '"';
    for (const char* p = argument; *p; p++) {
        if (*p == '"')
            for (size_t k = 0; k < backslashes + 1; k++) *out++ = '\\';
        backslashes = *p == '\\' ? backslashes + 1 : 0;
        *out++ = *p;
    }
    for (size_t k = 0; k < backslashes; k++) *out++ = '\\';
    *out++ = '"';
    *out = '\0';
    return true;
}

static HANDLE open_inherited(const char* path, DWORD access, DWORD creation) {
    SECURITY_ATTRIBUTES inherit = {.nLength = sizeof inherit, .bInheritHandle = TRUE};
    return CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherit, creation,
                       FILE_ATTRIBUTE_NORMAL, NULL);
}

static void close_handle(HANDLE handle) {
    if (handle && handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
}

// a pipe; the program inherits one end
static bool make_pipe(HANDLE* ours, HANDLE* theirs, bool program_reads) {
    HANDLE ends[2];
    if (!CreatePipe(&ends[0], &ends[1], NULL, 1 << 16)) return false;
    *theirs = ends[program_reads ? 0 : 1];
    *ours = ends[program_reads ? 1 : 0];
    return SetHandleInformation(*theirs, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
}

static int start_program(const char* const* arguments, STARTUPINFOA* start, pl_process* process) {
    char line[LINE_SIZE] = "";
    for (; *arguments; arguments++)
        if (!add_argument(line, *arguments)) return E2BIG;
    PROCESS_INFORMATION info;
    start->cb = sizeof *start;
    start->dwFlags = STARTF_USESTDHANDLES;
    if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, CREATE_NO_WINDOW, NULL, NULL, start, &info))
        return GetLastError() == ERROR_FILE_NOT_FOUND ? ENOENT : EIO;
    CloseHandle(info.hThread);
    process->id = (intptr_t)info.hProcess;
    return 0;
}

int pl_process_start(const char* const* arguments, const char* log, pl_process* process) {
    *process = (pl_process){.input = -1, .messages = -1};
    STARTUPINFOA start = {0};
    HANDLE input = NULL, messages = NULL;
    bool ready = true;
    if (log) {
        start.hStdInput = open_inherited("NUL", GENERIC_READ, OPEN_EXISTING);
        start.hStdOutput = open_inherited(log, GENERIC_WRITE, CREATE_ALWAYS);
        start.hStdError = start.hStdOutput;
        ready = start.hStdOutput != INVALID_HANDLE_VALUE;
    } else {
        start.hStdOutput = open_inherited("NUL", GENERIC_WRITE, OPEN_EXISTING);
        ready = make_pipe(&input, &start.hStdInput, true) &&
                make_pipe(&messages, &start.hStdError, false);
    }
    int failure = ready ? start_program(arguments, &start, process) : EIO;
    if (input) process->input = _open_osfhandle((intptr_t)input, _O_WRONLY | _O_BINARY);
    if (messages) process->messages = _open_osfhandle((intptr_t)messages, _O_RDONLY | _O_BINARY);
    if (start.hStdError != start.hStdOutput) close_handle(start.hStdError);
    close_handle(start.hStdOutput);
    close_handle(start.hStdInput);
    return failure;
}

bool pl_process_feed(pl_process* process, const void* data, size_t size) {
    for (const char* at = data; size > 0;) {
        int done = _write(process->input, at, size < (1u << 20) ? (unsigned)size : 1u << 20);
        if (done <= 0) return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

void pl_process_close_input(pl_process* process) {
    if (process->input >= 0) _close(process->input);
    process->input = -1;
}

int pl_process_end(pl_process* process) {
    pl_process_close_input(process);
    DWORD code = (DWORD)-1;
    HANDLE handle = (HANDLE)process->id;
    bool ended = handle && WaitForSingleObject(handle, INFINITE) == WAIT_OBJECT_0 &&
                 GetExitCodeProcess(handle, &code);
    close_handle(handle);
    if (process->messages >= 0) _close(process->messages);
    *process = (pl_process){.input = -1, .messages = -1};
    return ended ? (int)code : -1;
}
