// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The input is a socket rather than a pipe: writing to a closed socket can be an error without a
// signal.
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 // SO_NOSIGPIPE has the same effect
#endif

// programs started by other threads must not inherit our ends
static void keep_private(int file) { fcntl(file, F_SETFD, FD_CLOEXEC); }

// Set at creation where possible, since another thread may fork at any moment.
#ifdef SOCK_CLOEXEC
enum { PRIVATE_SOCKET = SOCK_CLOEXEC };
static int private_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
#else
enum { PRIVATE_SOCKET = 0 };
static int private_pipe(int ends[2]) { return pipe(ends); }
#endif

static void close_pair(const int pair[2]) {
    close(pair[0]);
    close(pair[1]);
}

// both ends of the program's input and of its messages
static int connect_ends(int input[2], int messages[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | PRIVATE_SOCKET, 0, input) != 0) return errno;
    if (private_pipe(messages) != 0) {
        int failure = errno;
        close_pair(input);
        return failure;
    }
    for (int k = 0; k < 2; k++) {
        keep_private(input[k]);
        keep_private(messages[k]);
    }
#ifdef SO_NOSIGPIPE
    setsockopt(input[1], SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    return 0;
}

static int spawn(const char* const* arguments, posix_spawn_file_actions_t* actions,
                 pl_process* process) {
    pid_t id;
    int failure =
        posix_spawnp(&id, arguments[0], actions, NULL, (char* const*)(uintptr_t)arguments, environ);
    if (!failure) process->id = id;
    return failure;
}

static int start_with_log(const char* const* arguments, const char* log,
                          posix_spawn_file_actions_t* actions, pl_process* process) {
    int failure = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, log,
                                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!failure) failure = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
    if (!failure)
        failure = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    return failure ? failure : spawn(arguments, actions, process);
}

static int start_connected(const char* const* arguments, posix_spawn_file_actions_t* actions,
                           pl_process* process) {
    int input[2], messages[2];
    int failure = connect_ends(input, messages);
    if (failure) return failure;
    failure = posix_spawn_file_actions_adddup2(actions, input[0], STDIN_FILENO);
    if (!failure) failure = posix_spawn_file_actions_adddup2(actions, messages[1], STDERR_FILENO);
    if (!failure)
        failure =
            posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failure) failure = spawn(arguments, actions, process);
    close(input[0]);
    close(messages[1]);
    process->input = input[1];
    process->messages = messages[0];
    return failure;
}

int pl_process_start(const char* const* arguments, const char* log, pl_process* process) {
    *process = (pl_process){.input = -1, .messages = -1};
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return failure;
    failure = log ? start_with_log(arguments, log, &actions, process)
                  : start_connected(arguments, &actions, process);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

bool pl_process_feed(pl_process* process, const void* data, size_t size) {
    for (const char* at = data; size > 0;) {
        ssize_t done = send(process->input, at, size, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

void pl_process_close_input(pl_process* process) {
    if (process->input >= 0) close(process->input);
    process->input = -1;
}

int pl_process_end(pl_process* process) {
    pl_process_close_input(process);
    int code = -1;
    if (process->id)
        while (waitpid((pid_t)process->id, &code, 0) < 0 && errno == EINTR) continue;
    bool exited = process->id && WIFEXITED(code);
    if (process->messages >= 0) close(process->messages);
    *process = (pl_process){.input = -1, .messages = -1};
    return exited ? WEXITSTATUS(code) : -1;
}
