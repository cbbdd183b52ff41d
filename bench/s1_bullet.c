// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s1_bullet.h"
#include "child_process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool write_all(FILE* file, const void* data, size_t size, size_t count) {
    return fwrite(data, size, count, file) == count;
}

// the lists of distances one after the other, as in the loops that the bench has itself
static bool write_cloth(FILE* file, const pl_pbd_level* level) {
    int counts[2] = {level->graph.particle_count, 0};
    for (int s = 0; s < level->set_count; s++) counts[1] += level->sets[s].count;
    bool ok = write_all(file, counts, sizeof(int), 2) &&
              write_all(file, level->particles, sizeof(float), 4 * (size_t)counts[0]);
    for (int s = 0; ok && s < level->set_count; s++)
        ok =
            write_all(file, level->sets[s].vertices, sizeof(int), 2 * (size_t)level->sets[s].count);
    for (int s = 0; ok && s < level->set_count; s++)
        ok = write_all(file, level->sets[s].values, sizeof(float), (size_t)level->sets[s].count);
    return ok;
}

bool s1_bullet_run(const pl_pbd_level* level, int repeats, s1_bullet_times* out) {
    char program[1024], path[1024], count[16];
    const char* folder = getenv("TMPDIR");
    if (!child_find("peer_bullet", program, sizeof program)) {
        fprintf(stderr, "s1-throughput: without Bullet; `make deps-bench`, then configure with "
                        "-DPLIANT_PEERS=ON\n");
        return false;
    }
    snprintf(path, sizeof path, "%s/pliant-cloth-%d", folder ? folder : "/tmp", (int)getpid());
    snprintf(count, sizeof count, "%d", repeats);
    FILE* file = fopen(path, "wb");
    bool ok = file && write_cloth(file, level);
    if (file && fclose(file) != 0) ok = false;
    if (!ok) fprintf(stderr, "s1-throughput: %s cannot be written\n", path);
    child_results results;
    char* words[] = {program, path, count, NULL};
    const char* settings[] = {NULL};
    ok = ok && child_run(words, settings, 60, &results);
    remove(path);
    if (!ok) return false;
    *out = (s1_bullet_times){child_value(&results, "seconds"), child_value(&results, "cpu")};
    fprintf(stderr, "s1-throughput: Bullet's %s; error %.3g of that before\n", results.notes,
            child_value(&results, "error"));
    return out->seconds > 0.0;
}
