// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/large_blocks.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/notes.h"
#include "base/platform.h"
#include "base/random.h"
#include "base/timer.h"
#include "test.h"

#include <pliant/pliant.h>
#include <stdlib.h>

TEST(status_texts)
{
    CHECK_TEXT(pl_status_text(PL_OK), "done");
    CHECK_TEXT(pl_status_text(PL_ERROR_MEMORY), "memory");
    CHECK_TEXT(pl_status_text((pl_status)9999), "unknown");
    pl_error error;
    CHECK_INT(pl_fail(&error, PL_ERROR_IO, "%s:%d", "file", 3), PL_ERROR_IO);
    CHECK_TEXT(error.text, "file:3");
    CHECK_INT(pl_fail(NULL, PL_ERROR_IO, "nobody listens"), PL_ERROR_IO);
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", PL_VERSION_MAJOR, PL_VERSION_MINOR,
             PL_VERSION_PATCH);
    CHECK_TEXT(pl_version(), expected);
}

TEST(memory_counts_and_aligns)
{
    size_t before = pl_byte_count();
    char* block = pl_alloc(1000);
    CHECK(block && (uintptr_t)block % 64 == 0);
    CHECK_INT(pl_byte_count() - before, 1000);
    for (int i = 0; i < 1000; i++) CHECK_INT(block[i], 0);
    block[999] = 7;
    block = pl_realloc(block, 1000, 5000);
    CHECK(block[999] == 7 && block[1000] == 0 && block[4999] == 0);
    pl_free(block, 5000);
    CHECK_INT(pl_byte_count(), before);
    CHECK(!pl_alloc(0) && !pl_alloc(SIZE_MAX) && !pl_alloc_items(SIZE_MAX / 2, 8));
}

TEST(memory_failure_injection)
{
    pl_inject_failure(2);
    void* first = pl_alloc(8);
    void* second = pl_alloc(8);
    void* third = pl_alloc(8);
    CHECK(first && !second && third);
    CHECK_INT(pl_inject_failure(0), 3);
    pl_free(first, 8);
    pl_free(third, 8);
}

static void* count_alloc(size_t size, void* user) {
    ++*(int*)user;
    return pl_aligned_alloc(64, size);
}
static void count_release(void* memory, size_t size, void* user) {
    (void)size;
    --*(int*)user;
    pl_aligned_free(memory);
}

TEST(memory_host_allocator)
{
    int live = 0;
    pl_set_allocator(&(pl_allocator){count_alloc, count_release, &live});
    void* block = pl_alloc(100);
    CHECK_INT(live, 1);
    pl_free(block, 100);
    CHECK_INT(live, 0);
    pl_set_allocator(NULL);
}

TEST(array_grows_and_hands_over)
{
    pl_array array = pl_array_of(sizeof(int));
    for (int i = 0; i < 1000; i++) CHECK(pl_array_push(&array, &i));
    void* data;
    CHECK(pl_array_take(&array, &data));
    for (int i = 0; i < 1000; i++) CHECK_INT(((int*)data)[i], i);
    pl_free(data, 1000 * sizeof(int));
    CHECK(pl_array_take(&array, &data) && data == NULL);
}

TEST(array_survives_failed_growth)
{
    pl_array array = pl_array_of(sizeof(int));
    int value = 5;
    CHECK(pl_array_push(&array, &value));
    pl_inject_failure(1);
    CHECK(!pl_array_add(&array, 1000));
    pl_inject_failure(0);
    CHECK_INT(array.count, 1);
    CHECK_INT(((int*)array.data)[0], 5);
    pl_array_free(&array);
}

TEST(arena_gives_aligned_memory_and_frees_all)
{
    pl_arena arena = {0};
    size_t before = pl_byte_count();
    char* parts[40];
    for (int i = 0; i < 40; i++) { // the last ones need blocks of their own
        size_t size = (size_t)1 << (i / 2);
        parts[i] = pl_arena_alloc(&arena, size);
        CHECK(parts[i] && (uintptr_t)parts[i] % 64 == 0);
        memset(parts[i], i, size);
    }
    for (int i = 0; i < 40; i++)
        for (size_t k = 0; k < (size_t)1 << (i / 2); k++) CHECK(parts[i][k] == i);
    pl_inject_failure(1);
    CHECK(!pl_arena_alloc(&arena, 1 << 24) && !pl_arena_alloc(&arena, SIZE_MAX));
    pl_inject_failure(0);
    pl_arena_free(&arena);
    CHECK_INT(pl_byte_count(), before);
}

typedef struct log_seen {
    int count;
    pl_log_level level;
    char text[64];
} log_seen;

static void see_log(pl_log_level level, const char* text, void* user) {
    log_seen* seen = user;
    seen->count++;
    seen->level = level;
    snprintf(seen->text, sizeof seen->text, "%s", text);
}

TEST(log_respects_level)
{
    log_seen seen = {0};
    pl_log(PL_LOG_ERROR, "nobody listens");
    pl_set_log(see_log, PL_LOG_WARNING, &seen);
    pl_log(PL_LOG_INFO, "too quiet");
    pl_log(PL_LOG_WARNING, "number %d", 3);
    pl_set_log(NULL, PL_LOG_ERROR, NULL);
    CHECK_INT(seen.count, 1);
    CHECK_INT(seen.level, PL_LOG_WARNING);
    CHECK_TEXT(seen.text, "number 3");
}

// A host that keeps no list of notes reads them in its log.
TEST(log_gets_notes)
{
    log_seen seen = {0};
    pl_set_log(see_log, PL_LOG_WARNING, &seen);
    pl_note(NULL, PL_NOTE_INFO, "worth knowing");
    CHECK_INT(seen.count, 0);
    pl_note(NULL, PL_NOTE_MENDED, "dropped %d tets", 7);
    pl_set_log(NULL, PL_LOG_ERROR, NULL);
    CHECK_INT(seen.count, 1);
    CHECK_INT(seen.level, PL_LOG_WARNING);
    CHECK_TEXT(seen.text, "dropped 7 tets");
}

TEST(notes_keep_order)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_note(notes, PL_NOTE_INFO, "first");
    pl_note(notes, PL_NOTE_MENDED, "second %d", 2);
    pl_note(NULL, PL_NOTE_INFO, "nowhere");
    CHECK_INT(pl_notes_count(notes), 2);
    pl_note_kind kind;
    CHECK_TEXT(pl_notes_text(notes, 1, &kind), "second 2");
    CHECK_INT(kind, PL_NOTE_MENDED);
    CHECK_TEXT(pl_notes_first_mended(notes, 0), "second");
    CHECK(!pl_notes_first_mended(notes, 2));
    pl_notes_destroy(notes);
}

TEST(hash_and_random_are_fixed)
{
    // golden values: recordings and checkpoints of other machines depend on them
    CHECK_INT(pl_hash_bytes("pliant", 6, 0), pl_hash_bytes("pliant", 6, 0));
    CHECK(pl_hash_bytes("pliant", 6, 0) != pl_hash_bytes("pliant", 6, 1));
    CHECK(pl_hash_bytes("abcdefgh", 8, 0) != pl_hash_bytes("abcdefgi", 8, 0));
    pl_random random = {0};
    CHECK(pl_random_bits(&random) ==
          UINT64_C(0xe220a8397b1dcdaf)); // first output of splitmix64, seed 0
    double sum = 0.0, square = 0.0;
    int histogram[10] = {0};
    for (int i = 0; i < 100000; i++) {
        double normal = pl_random_normal(&random);
        sum += normal;
        square += normal * normal;
        histogram[pl_random_int(&random, 10)]++;
        double uniform = pl_random_uniform(&random, -2.0, 3.0);
        CHECK(uniform >= -2.0 && uniform < 3.0);
    }
    CHECK_NEAR(sum / 100000, 0.0, 0.02);
    CHECK_NEAR(square / 100000, 1.0, 0.02);
    for (int i = 0; i < 10; i++) CHECK_NEAR(histogram[i], 10000, 500);
}

TEST(timer_goes_forward)
{
    double start = pl_seconds(), last = start;
    for (int i = 0; i < 1000; i++) {
        double now = pl_seconds();
        CHECK(now >= last);
        last = now;
    }
}

static void see_assert(const char* condition, const char* file, int line, void* user) {
    (void)file, (void)line;
    snprintf(user, 64, "%s", condition);
}

TEST(assert_hook)
{
    char seen[64] = "";
    pl_set_assert(see_assert, seen);
    pl_assert_failed("one == two", "file.c", 1);
    pl_set_assert(NULL, NULL);
    CHECK_TEXT(seen, "one == two");
}

// Large blocks are zero whatever was in the memory before, and not too much is kept for later.
TEST(memory_of_large_blocks_is_reused_and_zero)
{
    enum { COUNT = 40 };
    const size_t size = 5000001;
    char* blocks[COUNT];
    size_t before = pl_byte_count();
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < COUNT; k++) {
            blocks[k] = pl_alloc(size + (size_t)(k * round) * 100000);
            CHECK(blocks[k] && (uintptr_t)blocks[k] % 64 == 0);
            for (size_t i = 0; i < size; i += 4096) CHECK_INT(blocks[k][i], 0);
            CHECK_INT(blocks[k][size - 1], 0);
            memset(blocks[k], 7, size);
        }
        // in another order than they came
        for (int k = 0; k < COUNT; k++) {
            int at = 7 * k % COUNT;
            for (int other = 0; other < COUNT; other++)
                CHECK(blocks[other] == NULL || blocks[other][size - 1] == 7);
            pl_free(blocks[at], size + (size_t)(at * round) * 100000);
            blocks[at] = NULL;
        }
        CHECK(pl_large_kept() <= (size_t)64 << 20);
    }
    CHECK_INT(pl_byte_count(), before);
}
