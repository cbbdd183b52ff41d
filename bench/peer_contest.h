// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Programs of bench/peers that solve one linear system in turn, two cores each: what s0-peers and
// s3-peers share. docs/peers.md says how it is measured.
//
// A system travels as a file (system_file.h) in $TMPDIR; with PLIANT_KEEP_SYSTEMS set in the
// environment it stays there and its path is printed. PLIANT_SYSTEMS names the systems to be solved
// (not set: all), PLIANT_ROUNDS how often, where less is enough.
#ifndef PL_BENCH_PEER_CONTEST_H
#define PL_BENCH_PEER_CONTEST_H

#include "bench.h"
#include "system_file.h"

typedef enum peer_role { PEER_OURS, PEER_ITERATIVE, PEER_DIRECT } peer_role;

typedef struct peer {
    const char* name;
    const char* program;
    peer_role role;
    bool ranks;          // two processes of MPI, one thread each; else one process with two threads
    const char* options; // after file and repeats
} peer;

enum { PEER_MAX_ROUNDS = 5, PEER_MEASURED = 10, PEER_MAX_PEERS = 8 };

typedef struct peer_contest {
    const char* bench_name; // before messages, and in the name of the file
    const char* system;     // in the names of results
    int peer_count;
    const peer* peers[PEER_MAX_PEERS];
    bool absent[PEER_MAX_PEERS];
    int rounds;
    int repeats, iterative_repeats, direct_repeats; // within a round, by role
    double values[PEER_MAX_PEERS][PEER_MEASURED][PEER_MAX_ROUNDS];
    char path[1024]; // of the file
} peer_contest;

// Writes the file of the contest; false after a message.
bool peer_contest_store(peer_contest* c, const system_rows* rows);
// Lets the peers take turns and reports their raw figures. Peers whose program is missing or fails
// are named and left out. Removes the file.
void peer_contest_run(peer_contest* c, bench* b);
// Median over the rounds; NAN if the peer is absent or does not measure that.
double peer_contest_median(const peer_contest* c, const peer* p, const char* name);
// The smallest `total` of the peers of a role, or NAN.
double peer_contest_best_total(const peer_contest* c, peer_role role);
// A ratio with a name of two parts, or a message if it is NAN.
void peer_contest_report(const peer_contest* c, bench* b, const char* name, const char* system,
                         double value);

bool peer_contest_is_wanted(const char* system);
int peer_contest_rounds(int usual);

// How busy others keep the machine: ratios are to be believed only when little else runs.
typedef struct peer_load {
    double start, machine, own;
    bool known;
} peer_load;
peer_load peer_load_begin(void);
void peer_load_report(const peer_load* load, bench* b);

#endif
