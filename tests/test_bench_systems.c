// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The systems that benches solve are what they say they are, and reach other programs unchanged.
#include "../bench/bench_systems.h"
#include "../bench/child_process.h"
#include "base/memory.h"
#include "test.h"

#include <pliant/generate.h>
#include <stdlib.h>

static pl_mesh* small_bar(void) {
    pl_error error;
    pl_mesh* mesh;
    pl_generate_options options;
    CHECK_OK(pl_generate_defaults("bar", &options, &error), &error);
    options.count_x = 8, options.count_y = options.count_z = 2;
    options.size_x = 1.0, options.size_y = options.size_z = 0.25;
    options.pattern = PL_PATTERN_KUHN;
    options.jitter = 0.15;
    CHECK_OK(pl_generate("bar", &options, &mesh, &error), &error);
    return mesh;
}

static bench_system elasticity(const pl_mesh* mesh, const char* clamped) {
    pl_error error;
    bench_system system;
    bench_solid solid = bench_default_solid();
    CHECK_OK(bench_elasticity(mesh, &solid, clamped, &system, &error), &error);
    return system;
}

// x . A y, both three per row
static double product(const bench_system* s, const double* x, const double* y) {
    size_t count = 3 * (size_t)s->A.row_count;
    double* Ay = PL_ALLOC(double, count);
    double sum = 0.0;
    CHECK(Ay);
    pl_block_matrix_apply(&s->A, NULL, s->rhs_count, y, Ay);
    for (size_t i = 0; i < count; i++) sum += x[i] * Ay[i];
    PL_FREE(Ay, double, count);
    return sum;
}

static double mass_of(const bench_solid* solid) { return solid->density * 0.25 * 0.25; }

TEST(bench_elasticity_lets_rigid_motions_pass)
{
    pl_mesh* mesh = small_bar();
    bench_system s = elasticity(mesh, NULL);
    size_t count = 3 * (size_t)mesh->vertex_count;
    double *shift = PL_ALLOC(double, count), *turn = PL_ALLOC(double, count);
    CHECK(shift && turn);
    for (size_t v = 0; v < count; v += 3) {
        shift[v] = 1.0;
        turn[v] = -mesh->positions[v + 1];
        turn[v + 1] = mesh->positions[v];
    }
    bench_solid solid = bench_default_solid();
    double weight = mass_of(&solid) / (solid.time_step * solid.time_step);
    CHECK_NEAR(product(&s, shift, shift), weight, 1e-9 * weight);
    // what is left of a turn is its inertia, which lumped masses give to a few percent
    double inertia = weight * (1.0 / 3.0 + 0.25 * 0.25 / 3.0);
    CHECK_NEAR(product(&s, turn, turn), inertia, 0.1 * inertia);
    CHECK_NEAR(product(&s, turn, shift), product(&s, shift, turn), 1e-9 * weight);
    PL_FREE(shift, double, count);
    PL_FREE(turn, double, count);
    bench_system_free(&s);
    pl_mesh_destroy(mesh);
}

// the clamped system is the whole one for motions that are zero at the clamp
TEST(bench_elasticity_leaves_clamped_rows_out)
{
    pl_mesh* mesh = small_bar();
    bench_system all = elasticity(mesh, NULL), kept = elasticity(mesh, "left");
    CHECK_INT(kept.A.row_count, mesh->vertex_count - 9);
    size_t all_count = 3 * (size_t)mesh->vertex_count, count = 3 * (size_t)kept.A.row_count, k = 0;
    double *x_all = PL_ALLOC(double, all_count), *x = PL_ALLOC(double, count);
    CHECK(x_all && x);
    for (size_t v = 0; v < all_count; v += 3) {
        if (mesh->positions[v] < 1e-9) continue;
        for (size_t i = v; i < v + 3; i++, k++) {
            CHECK(kept.positions[k] == mesh->positions[i] && kept.rhs[k] == all.rhs[i]);
            x[k] = x_all[i] = sin(1.0 + (double)i);
        }
    }
    double energy = product(&all, x_all, x_all);
    CHECK_NEAR(product(&kept, x, x), energy, 1e-12 * energy);
    PL_FREE(x_all, double, all_count);
    PL_FREE(x, double, count);
    bench_system_free(&all);
    bench_system_free(&kept);
    pl_mesh_destroy(mesh);
}

// of x itself, whose gradient is the identity: three times 2 mu V and the inertia
TEST(bench_projective_has_the_weights_of_the_method)
{
    pl_error error;
    bench_system s;
    pl_mesh* mesh = small_bar();
    bench_solid solid = bench_default_solid();
    CHECK_OK(bench_projective(mesh, &solid, &s, &error), &error);
    CHECK_INT(s.rhs_count, 3);
    bench_solid heavy = solid;
    heavy.density *= 2.0;
    bench_system twice;
    CHECK_OK(bench_projective(mesh, &heavy, &twice, &error), &error);
    double energy = product(&s, mesh->positions, mesh->positions);
    double inertia = product(&twice, mesh->positions, mesh->positions) - energy;
    double mu = solid.young / (2.0 * (1.0 + solid.poisson)), stiff = 3.0 * 2.0 * mu * 0.25 * 0.25;
    CHECK_NEAR(energy - inertia, stiff, 1e-9 * energy);
    bench_system_free(&s);
    bench_system_free(&twice);
    pl_mesh_destroy(mesh);
}

TEST(bench_bars_have_the_sizes_they_are_named_for)
{
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(bench_bar_mesh(BENCH_BAR_4K, &mesh, &error), &error);
    CHECK_INT(mesh->vertex_count, 37 * 10 * 10);
    CHECK_INT(mesh->tet_count, 6 * 36 * 9 * 9);
    pl_mesh_destroy(mesh);
}

TEST(system_file_comes_back_in_parts)
{
    pl_mesh* mesh = small_bar();
    bench_system s = elasticity(mesh, "left");
    system_rows rows = bench_system_rows(&s);
    const char* path = pl_test_path("bar.system");
    CHECK(system_file_write(path, &rows));
    int next = 0;
    for (int part = 0; part < 3; part++) {
        system_rows p;
        CHECK(system_file_read(path, part, 3, &p));
        CHECK_INT(p.first, next);
        CHECK_INT(p.header.row_count, s.A.row_count);
        size_t begin = (size_t)s.A.offsets[next], count = (size_t)p.offsets[p.count];
        CHECK_INT(count, s.A.offsets[next + p.count] - s.A.offsets[next]);
        size_t first = 3 * (size_t)next, numbers = 3 * (size_t)p.count * sizeof(double);
        CHECK(memcmp(p.columns, s.A.columns + begin, count * sizeof(int)) == 0);
        CHECK(memcmp(p.values, s.A.values + 9 * begin, 9 * count * sizeof(double)) == 0);
        CHECK(memcmp(p.rhs, s.rhs + first, numbers) == 0);
        CHECK(memcmp(p.positions, s.positions + first, numbers) == 0);
        next += p.count;
        system_rows_free(&p);
    }
    CHECK_INT(next, s.A.row_count);
    bench_system_free(&s);
    pl_mesh_destroy(mesh);
}

// the file of a system with three right-hand sides, and the bytes of it
static char* file_of_projective(const char* path, size_t* size) {
    pl_error error;
    bench_system s;
    pl_mesh* mesh = small_bar();
    bench_solid solid = bench_default_solid();
    CHECK_OK(bench_projective(mesh, &solid, &s, &error), &error);
    system_rows rows = bench_system_rows(&s);
    CHECK(system_file_write(path, &rows));
    bench_system_free(&s);
    pl_mesh_destroy(mesh);
    FILE* file = fopen(path, "rb");
    CHECK(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* bytes = malloc(*size);
    CHECK(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static bool reads(const char* path, const char* bytes, size_t size) {
    system_rows rows;
    FILE* file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    bool done = system_file_read(path, 0, 1, &rows);
    system_rows_free(&rows);
    return done;
}

TEST(system_file_refuses_what_is_none)
{
    size_t size;
    const char* path = pl_test_path("pd.system");
    char* bytes = file_of_projective(path, &size);
    CHECK(reads(path, bytes, size));
    for (size_t cut = 0; cut < size; cut += size / 7) CHECK(!reads(path, bytes, cut));
    CHECK(!reads(path, bytes, size - 1));
    bytes[0] ^= 1; // magic
    CHECK(!reads(path, bytes, size));
    bytes[0] ^= 1;
    bytes[8] = 2; // block
    CHECK(!reads(path, bytes, size));
    bytes[8] = 1;
    bytes[32 + 7] = 0x7f; // the second offset
    CHECK(!reads(path, bytes, size));
    bytes[32 + 7] = 0;
    CHECK(reads(path, bytes, size));
    free(bytes);
}

static bool run_shell(const char* script, const char* setting, unsigned limit, child_results* out) {
    char* argv[] = {(char*)"sh", (char*)"-c", (char*)script, NULL};
    const char* settings[] = {setting, NULL};
    return child_run(argv, settings, limit, out);
}

TEST(child_process_reads_results_and_notes)
{
    child_results results;
    CHECK(run_shell("echo setup 1.5; echo note a b; echo nonsense; echo solve 2e-3; echo note c",
                    "PL_TEST_CHILD=1", 60, &results));
    CHECK_INT(results.count, 2);
    CHECK_NEAR(child_value(&results, "setup"), 1.5, 0.0);
    CHECK_NEAR(child_value(&results, "solve"), 2e-3, 0.0);
    CHECK(isnan(child_value(&results, "nonsense")));
    CHECK(strcmp(results.notes, "a b; c") == 0);
}

TEST(child_process_gets_settings_that_are_not_there_yet)
{
    child_results results;
    CHECK(!getenv("PL_TEST_CHILD"));
    CHECK(run_shell("echo seen $PL_TEST_CHILD", "PL_TEST_CHILD=7", 60, &results));
    CHECK_NEAR(child_value(&results, "seen"), 7.0, 0.0);
    CHECK(!getenv("PL_TEST_CHILD"));
    setenv("PL_TEST_CHILD", "8", 1);
    CHECK(run_shell("echo seen $PL_TEST_CHILD", "PL_TEST_CHILD=7", 60, &results));
    unsetenv("PL_TEST_CHILD");
    CHECK_NEAR(child_value(&results, "seen"), 8.0, 0.0);
}

TEST(child_process_reports_failure)
{
    child_results results;
    char* nothing[] = {(char*)"/no/such/program", NULL};
    const char* settings[] = {NULL};
    CHECK(!run_shell("echo setup 1; exit 3", "A=1", 60, &results));
    CHECK(!run_shell("exec sleep 100", "A=1", 1, &results));
    CHECK(!child_run(nothing, settings, 60, &results));
}
