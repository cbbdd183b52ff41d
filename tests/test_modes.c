// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes of vibration: the dense solver by its definition, the sparse one against the dense one, and
// both against the theory of bars and cubes.
#include "base/memory.h"
#include "base/random.h"
#include "modes/dense_eigen.h"
#include "modes/mode_set.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <pliant/modes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 60 };

static void check_dense(int n, const double* A) {
    static double copy[LARGEST * LARGEST], V[LARGEST * LARGEST], values[LARGEST], s[2 * LARGEST];
    double size = 0.0;
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(A[i]));
    memcpy(copy, A, (size_t)(n * n) * sizeof(double));
    CHECK(pl_dense_eigen(n, copy, values, V, s));
    for (int k = 0; k < n; k++) {
        CHECK(k == 0 || values[k] >= values[k - 1]);
        for (int i = 0; i < n; i++) {
            double sum = 0.0, dot = 0.0;
            for (int j = 0; j < n; j++) {
                sum += A[i * n + j] * V[k * n + j];
                dot += V[i * n + j] * V[k * n + j];
            }
            CHECK_NEAR(sum, values[k] * V[k * n + i], 1e-13 * n * size);
            CHECK_NEAR(dot, i == k ? 1.0 : 0.0, 1e-13 * n);
        }
    }
}

TEST(dense_eigen_gives_eigenvectors)
{
    static double A[LARGEST * LARGEST];
    pl_random random = {7};
    static const int sizes[] = {1, 2, 3, 8, 31, LARGEST};
    for (int round = 0; round < 6; round++) {
        int n = sizes[round];
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                A[i * n + j] = A[j * n + i] = pl_random_normal(&random) * exp(-0.2 * i);
        check_dense(n, A);
        // multiple eigenvalues, and a matrix of zeros
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) A[i * n + j] = (i == j) + (i / 4 == j / 4);
        check_dense(n, A);
        memset(A, 0, sizeof A);
        check_dense(n, A);
    }
    A[0] = NAN;
    double value, vector, scratch[2];
    CHECK(!pl_dense_eigen(1, A, &value, &vector, scratch));
}

// ---------------------------------------------------------------- bodies

static const char box_scene[] =
    "{\"pliant\": 1, \"bodies\": [{\"name\": \"box\", \"mass\": \"%s\", \"generate\": {\"shape\":\n"
    " \"box\", \"size_x\": %g, \"size_y\": %g, \"size_z\": %g, \"edge\": %g},\n"
    " \"material\": {\"law\": \"%s\", \"young\": 1e6, \"poisson\": %g, \"density\": 1000}}]%s}";

static pl_world* box_world(const char* mass, const double size[3], double edge, const char* law,
                           double poisson, const char* more) {
    char text[1024];
    snprintf(text, sizeof text, box_scene, mass, size[0], size[1], size[2], edge, law, poisson,
             more);
    return sample_start(text);
}

static pl_modes* modes_of(pl_world* world, int count) {
    pl_modes* modes;
    pl_error error = {0};
    CHECK_OK(pl_world_modes(world, 0, count, &modes, &error), &error);
    return modes;
}

// A random matrix on a ring of vertices with random masses, one vertex fixed: the lowest modes
// equal those of M^-1/2 K M^-1/2 by the dense solver.
TEST(modes_equal_those_of_the_dense_matrix)
{
    enum { N = LARGEST / 3, HELD = 4 };
    int offsets[N + 1], neighbours[2 * N];
    double mass[N], *dense = calloc(LARGEST * LARGEST, sizeof *dense);
    bool fixed[N] = {[HELD] = true};
    pl_random random = {11};
    for (int v = 0; v < N; v++) {
        int a = (v + N - 1) % N, b = (v + 1) % N;
        offsets[v] = 2 * v;
        neighbours[2 * v] = a < b ? a : b;
        neighbours[2 * v + 1] = a < b ? b : a;
        mass[v] = pl_random_uniform(&random, 0.5, 2.0);
    }
    offsets[N] = 2 * N;
    pl_block_matrix K;
    pl_error error = {0};
    CHECK_OK(pl_block_matrix_setup(&K, N, 3, offsets, neighbours, &error), &error);
    // springs of random symmetric stiffness along the ring, and some to the ground
    for (int v = 0; v < N; v++) {
        int w = (v + 1) % N;
        double G[9], S[9] = {0};
        for (int i = 0; i < 9; i++) G[i] = pl_random_normal(&random);
        for (int i = 0; i < 27; i++)
            S[i / 3 % 3 * 3 + i % 3] += G[i / 9 * 3 + i / 3 % 3] * G[i / 9 * 3 + i % 3];
        const int at[4] = {K.diagonal[v], K.diagonal[w], pl_block_matrix_find(&K, v, w),
                           pl_block_matrix_find(&K, w, v)};
        for (int i = 0; i < 36; i++)
            K.values[9 * at[i / 9] + i % 9] += i < 18 ? 1.1 * S[i % 9] : -S[i % 9];
    }
    for (int v = 0; v < N; v++)
        for (int k = K.offsets[v]; k < K.offsets[v + 1]; k++)
            for (int i = 0; i < 9; i++) {
                int w = K.columns[k], row = 3 * v + i / 3, column = 3 * w + i % 3;
                double value = K.values[9 * k + i] / sqrt(mass[v] * mass[w]);
                if (v == HELD || w == HELD) value = row == column ? 1e3 : 0.0;
                dense[row * 3 * N + column] = value;
            }
    double values[LARGEST], *V = calloc(LARGEST * LARGEST, sizeof *V), scratch[2 * LARGEST];
    CHECK(pl_dense_eigen(3 * N, dense, values, V, scratch));
    pl_modes_problem problem = {.K = &K, .mass = mass, .fixed = fixed};
    for (int count = 1; count <= 3 * N - 3; count += 7) {
        pl_mode_set m;
        CHECK_OK(pl_modes_find(&problem, &(pl_modes_settings){.count = count, .tolerance = 1e-11},
                               NULL, &m, &error),
                 &error);
        CHECK_INT(m.count, count);
        CHECK_INT(m.rigid_count, 0);
        for (int k = 0; k < count; k++) {
            CHECK_NEAR(m.lambda[k], values[k], 1e-9 * values[k]);
            CHECK(m.residual[k] < 1e-6);
            for (int i = 0; i < 3; i++) CHECK(m.shapes[3 * N * k + 3 * HELD + i] == 0.0);
        }
        pl_mode_set_free(&m);
    }
    pl_block_matrix_free(&K);
    free(dense);
    free(V);
}

// A bar on rollers, Poisson's ratio 0, stretches along its axis with f = sqrt(E / rho) / (4 L) and
// odd multiples of it; 8 / pi^2 of the mass move with the first. Consistent masses come from above.
LONG_TEST(modes_of_a_bar_are_those_of_theory)
{
    const double size[3] = {1.0, 0.1, 0.1}, theory = sqrt(1e6 / 1000.0) / 4.0;
    static const char rollers[] =
        ", \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}, \"hold\": \"x\"}]";
    pl_world* world = box_world("consistent", size, 0.05, "linear", 0.0, rollers);
    pl_modes* m = modes_of(world, 12);
    CHECK_INT(m->rigid_count, 3); // along y and z, and around x
    int stretch = 0;
    for (int k = 0; k < m->count; k++) {
        if (m->participation[3 * k] > m->participation[3 * stretch]) stretch = k;
        CHECK(m->residual[k] < 1e-6);
    }
    CHECK(m->frequency[stretch] > theory && m->frequency[stretch] < 1.002 * theory);
    CHECK_NEAR(m->participation[3 * stretch], 8.0 / (M_PI * M_PI), 0.005);
    pl_modes_destroy(m);
    pl_world_destroy(world);
}

// A free cube has the mode of Lame, f = sqrt(mu / rho) / (sqrt(2) a), whatever Poisson's ratio: of
// its three planes two are independent. Its symmetry makes triples, too.
LONG_TEST(modes_of_a_cube_come_in_multiplets)
{
    const double size[3] = {0.1, 0.1, 0.1}, nu = 0.3, mu = 1e6 / (2.0 * (1.0 + nu));
    double theory = sqrt(mu / 1000.0) / (sqrt(2.0) * 0.1), error[2];
    for (int round = 0; round < 2; round++) {
        pl_world* world =
            box_world("consistent", size, round ? 0.1 / 6.0 : 0.1 / 3.0, "corotated", nu, "");
        pl_modes* m = modes_of(world, 12);
        CHECK_INT(m->rigid_count, 6);
        const double* f = m->frequency + 6;
        CHECK_NEAR(f[1], f[0], 1e-9 * f[0]);
        for (int k = 2; k < 8; k += 3)
            CHECK(fabs(f[k + 1] - f[k]) < 1e-9 * f[k] && fabs(f[k + 2] - f[k]) < 1e-9 * f[k]);
        CHECK_NEAR(f[9], f[8], 1e-9 * f[8]);
        error[round] = f[8] / theory - 1.0;
        pl_modes_destroy(m);
        pl_world_destroy(world);
    }
    CHECK(error[1] > 0.0 && error[1] < 0.02);
    CHECK(error[0] > 2.5 * error[1]); // order about 2
}

TEST(modes_of_two_pieces_and_of_few_unknowns)
{
    // every corner of a single tet is free: six modes beside the rigid ones, no more
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    double positions[24];
    static const int tets[] = {0, 1, 2, 3, 4, 5, 6, 7};
    memcpy(positions, corners, sizeof corners);
    for (int i = 0; i < 12; i++) positions[12 + i] = corners[i] + (i % 3 == 0 ? 3.0 : 0.0);
    for (int pieces = 1; pieces <= 2; pieces++) {
        pl_mesh* mesh;
        pl_error error = {0};
        CHECK_OK(pl_mesh_create(positions, 4 * pieces, tets, pieces, NULL, 0, &mesh, &error),
                 &error);
        CHECK_OK(pl_mesh_write(mesh, pl_test_path("tets.msh"), NULL, NULL, &error), &error);
        pl_mesh_destroy(mesh);
        char text[700];
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"bodies\": [{\"name\": \"tets\", \"mesh\": \"%s\"}]}",
                 pl_test_path("tets.msh"));
        pl_world* world = sample_start(text);
        pl_modes* m = modes_of(world, 5);
        CHECK_INT(m->rigid_count, 6 * pieces);
        CHECK_INT(m->count, 6 * pieces + 5);
        pl_modes_destroy(m);
        CHECK(pl_world_modes(world, 0, 12 * pieces + 1, &m, &error) == PL_ERROR_ARGUMENT);
        CHECK_TEXT(error.text, "ask for 1 to");
        CHECK(m == NULL);
        pl_world_destroy(world);
    }
}

// A rigid mode that the search for a shift has not found well yet is not taken for the lowest one.
TEST(modes_of_a_small_free_box_are_found_for_every_count)
{
    const double size[3] = {0.4, 0.1, 0.1};
    pl_world* world = box_world("lumped", size, 0.1, "corotated", 0.3, "");
    pl_modes* all = modes_of(world, 20);
    for (int count = 4; count < 20; count++) {
        pl_modes* m = modes_of(world, count);
        CHECK_INT(m->rigid_count, 6);
        for (int k = 6; k < m->count; k++) {
            CHECK_NEAR(m->frequency[k], all->frequency[k], 1e-9 * all->frequency[k]);
            CHECK(m->residual[k] < 1e-7);
        }
        pl_modes_destroy(m);
    }
    pl_modes_destroy(all);
    pl_world_destroy(world);
}

// Vertices at x = 0 are held. Memory grows with the modes that are asked for, and is more than that
// of the result.
TEST(modes_say_how_large_the_search_is)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"box\", \"generate\": {\"shape\": \"box\",\n"
        " \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05}}],\n"
        " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}]}");
    pl_world* world = sample_world(scene);
    pl_error error = {0};
    pl_modes_size few, many;
    CHECK_OK(pl_world_modes_size(world, 0, 6, &few, &error), &error);
    CHECK_OK(pl_world_modes_size(world, 0, 20, &many, &error), &error);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    int held = 0;
    for (int v = 0; v < mesh->vertex_count; v++) held += mesh->positions[3 * v] < 1e-9;
    CHECK_INT(few.vertex_count, mesh->vertex_count);
    CHECK_INT(few.unknowns, 3 * (mesh->vertex_count - held));
    size_t before = pl_byte_count();
    pl_modes* m = modes_of(world, 20);
    CHECK((double)(pl_byte_count() - before) < many.bytes);
    CHECK(few.bytes < many.bytes);
    pl_modes_destroy(m);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(modes_are_refused_by_name)
{
    const double size[3] = {0.2, 0.1, 0.1};
    pl_world* world = box_world("lumped", size, 0.1, "corotated", 0.3, "");
    const char* pbd = "bodies[0].method=pbd";
    pl_error error = {0};
    pl_modes* modes;
    CHECK_OK(pl_world_change(world, &pbd, 1, NULL, &error), &error);
    CHECK(pl_world_modes(world, 0, 5, &modes, &error) == PL_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text, "method pbd");
    pl_world_destroy(world);
}

TEST(modes_survive_every_failing_allocation_with_the_same_bits)
{
    const double size[3] = {0.2, 0.1, 0.1};
    pl_world* world = box_world("consistent", size, 0.1, "corotated", 0.3,
                                ", \"threads\": 1"); // a thread frees its own start
    pl_modes *first = modes_of(world, 4), *modes;
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_world_modes(world, 0, 4, &modes, &error);
        pl_inject_failure(0);
        if (status == PL_OK) {
            CHECK(nth > 20);
            break;
        }
        if (status != PL_ERROR_MEMORY || pl_byte_count() != before)
            pl_test_fail(__FILE__, __LINE__, "allocation %d: %s: %s, %d bytes are left", (int)nth,
                         pl_status_text(status), error.text, (int)(pl_byte_count() - before));
        CHECK(modes == NULL);
    }
    size_t bytes = 3 * (size_t)first->vertex_count * (size_t)first->count * sizeof(double);
    CHECK(memcmp(first->shapes, modes->shapes, bytes) == 0);
    pl_modes_destroy(first);
    pl_modes_destroy(modes);
    pl_world_destroy(world);
}

TEST(modes_same_bits_for_any_threads)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        pl_scene* scene = sample_scene(
            "{\"pliant\": 1, \"bodies\": [{\"name\": \"box\", \"generate\": {\"shape\": \"box\",\n"
            " \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.03}}],\n"
            " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}]}");
        pl_error error = {0};
        CHECK_OK(pl_scene_set(scene, "threads", k ? "3" : "1", &error), &error);
        pl_world* world = sample_world(scene);
        pl_modes* m = modes_of(world, 6);
        hash[k] = 1469598103934665603u;
        const unsigned char* bytes = (const unsigned char*)m->shapes;
        for (size_t i = 0; i < 3 * (size_t)m->vertex_count * (size_t)m->count * sizeof(double); i++)
            hash[k] = (hash[k] ^ bytes[i]) * 1099511628211u;
        pl_modes_destroy(m);
        pl_world_destroy(world);
        pl_scene_destroy(scene);
    }
    CHECK(hash[0] == hash[1]);
}

LONG_TEST(cmd_modes_prints_and_records)
{
    char text[8192], command[1500];
    snprintf(command, sizeof command, "pliant mesh --generate bar --edge 0.5 -o %s",
             pl_test_path("bar.msh"));
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    char mesh[600], shapes[600];
    snprintf(mesh, sizeof mesh, "%s", pl_test_path("bar.msh"));
    snprintf(shapes, sizeof shapes, "%s", pl_test_path("bar.plr"));
    snprintf(command, sizeof command, "pliant modes %s -n 3 --pin -x -o %s", mesh, shapes);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK_TEXT(text, "frequency [Hz]");
    CHECK_TEXT(text, " unknowns, about ");
    snprintf(command, sizeof command, "pliant modes %s -n 3 --memory 1e-6", mesh);
    CHECK_INT(pl_test_run(command, text, sizeof text), 3);
    CHECK_TEXT(text, "or allow more by --memory");
    snprintf(command, sizeof command, "pliant render %s --sheet 2x2 --size 64x64 -o %s.png", shapes,
             shapes);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    snprintf(command, sizeof command, "pliant export %s --to glb -o %s.glb", shapes, shapes);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    snprintf(command, sizeof command, "pliant export %s --to vtu -o %s_vtu", shapes, shapes);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    snprintf(command, sizeof command, "pliant modes %s -n 3 --json", mesh);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK_TEXT(text, "\"rigid\": 6");
    // a cube of 15 vertices that nothing holds has 39 modes that are not rigid
    char cube[600];
    snprintf(cube, sizeof cube, "%s", pl_test_path("cube.msh"));
    snprintf(command, sizeof command, "pliant mesh --generate box --size 1,1,1 --edge 1 -o %s",
             cube);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    snprintf(command, sizeof command, "pliant modes %s -n 40", cube);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK_TEXT(text, "40 modes are asked for; beside 6 rigid ones the body has 39");
    snprintf(command, sizeof command, "pliant modes %s --pin nowhere", mesh);
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_INT(pl_test_run("pliant modes nothing.msh", text, sizeof text), 2);
}
