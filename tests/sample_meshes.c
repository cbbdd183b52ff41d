// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "sample_meshes.h"

#include <stdlib.h>

pl_mesh* sample_mesh(const double* positions, int vertex_count, const int* tets, int tet_count,
                     const int* triangles, int triangle_count) {
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_mesh_create(positions, vertex_count, tets, tet_count, triangles, triangle_count,
                            &mesh, &error),
             &error);
    return mesh;
}

pl_edges sample_edges(const pl_mesh* mesh) {
    pl_error error;
    pl_edges edges;
    bool solid = mesh->tet_count > 0;
    CHECK_OK(pl_edges_create(solid ? mesh->tets : mesh->triangles,
                             solid ? mesh->tet_count : mesh->triangle_count, solid ? 4 : 3,
                             mesh->vertex_count, &edges, &error),
             &error);
    return edges;
}

pl_adjacency sample_graph(const pl_mesh* mesh) {
    pl_error error;
    pl_edges edges = sample_edges(mesh);
    pl_adjacency graph;
    CHECK_OK(pl_vertex_neighbours(&edges, mesh->vertex_count, &graph, &error), &error);
    pl_edges_free(&edges);
    return graph;
}

pl_mesh* sample_box(int nx, int ny, int nz) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    int vertex_count = (nx + 1) * (ny + 1) * (nz + 1), tet_count = 0;
    int stride[3] = {1, nx + 1, (nx + 1) * (ny + 1)};
    double* positions = malloc(3 * sizeof(double) * (size_t)vertex_count);
    int* tets = malloc(4 * sizeof(int) * 6 * (size_t)(nx * ny * nz));
    for (int v = 0; v < vertex_count; v++) {
        positions[3 * v] = v % (nx + 1);
        positions[3 * v + 1] = v / stride[1] % (ny + 1);
        positions[3 * v + 2] = v / stride[2];
    }
    for (int c = 0; c < nx * ny * nz; c++) {
        int corner = c % nx + c / nx % ny * stride[1] + c / (nx * ny) * stride[2];
        for (int o = 0; o < 6; o++) {
            int* tet = tets + 4 * tet_count++;
            int path[4] = {corner};
            for (int k = 0; k < 3; k++) path[k + 1] = path[k] + stride[orders[o][k]];
            tet[0] = path[0], tet[3] = path[3];
            tet[1] = path[o < 3 ? 1 : 2], tet[2] = path[o < 3 ? 2 : 1];
        }
    }
    pl_mesh* mesh = sample_mesh(positions, vertex_count, tets, tet_count, NULL, 0);
    free(positions);
    free(tets);
    return mesh;
}

// the midpoint of an edge, made once: the table holds it for each pair of vertices seen
static int midpoint(double* positions, int* vertex_count, int* table, int stride, int a, int b) {
    int* entry = &table[a < b ? a * stride + b : b * stride + a];
    if (*entry) return *entry;
    double* p = positions + 3 * *vertex_count;
    double length = 0.0;
    for (int i = 0; i < 3; i++) p[i] = positions[3 * a + i] + positions[3 * b + i];
    for (int i = 0; i < 3; i++) length += p[i] * p[i];
    for (int i = 0; i < 3; i++) p[i] /= sqrt(length);
    return *entry = (*vertex_count)++;
}

pl_mesh* sample_sphere(int levels) {
    static const double axes[] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    static const int faces[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    int triangle_count = 8, vertex_count = 6, final = 8 << (2 * levels), stride = final / 2 + 2;
    double* positions = malloc(3 * sizeof(double) * (size_t)stride);
    int* triangles = malloc(3 * sizeof(int) * (size_t) final);
    int* table = malloc(sizeof(int) * (size_t)stride * (size_t)stride);
    memcpy(positions, axes, sizeof axes);
    memcpy(triangles, faces, sizeof faces);
    for (int level = 0; level < levels; level++) {
        memset(table, 0, sizeof(int) * (size_t)stride * (size_t)stride);
        for (int t = 0, old = triangle_count; t < old; t++) {
            int* v = triangles + 3 * t;
            int a = v[0], b = v[1], c = v[2];
            int ab = midpoint(positions, &vertex_count, table, stride, a, b);
            int bc = midpoint(positions, &vertex_count, table, stride, b, c);
            int ca = midpoint(positions, &vertex_count, table, stride, c, a);
            int children[] = {a, ab, ca, ab, b, bc, ca, bc, c};
            memcpy(triangles + 3 * triangle_count, children, sizeof children);
            triangle_count += 3;
            v[0] = ab, v[1] = bc, v[2] = ca;
        }
    }
    pl_mesh* mesh = sample_mesh(positions, vertex_count, NULL, 0, triangles, triangle_count);
    free(positions);
    free(triangles);
    free(table);
    return mesh;
}

pl_mesh* sample_sheet(int nx, int ny) {
    int vertex_count = (nx + 1) * (ny + 1), count = 0;
    double* positions = malloc(3 * sizeof(double) * (size_t)vertex_count);
    int* triangles = malloc(6 * sizeof(int) * (size_t)(nx * ny));
    for (int v = 0; v < vertex_count; v++) {
        positions[3 * v] = v % (nx + 1);
        positions[3 * v + 1] = v / (nx + 1);
        positions[3 * v + 2] = 0.0;
    }
    for (int q = 0; q < nx * ny; q++) {
        int a = q % nx + q / nx * (nx + 1), b = a + 1, c = b + nx + 1, d = a + nx + 1;
        int pair[] = {a, b, c, a, c, d};
        memcpy(triangles + 3 * count, pair, sizeof pair);
        count += 2;
    }
    pl_mesh* mesh = sample_mesh(positions, vertex_count, NULL, 0, triangles, count);
    free(positions);
    free(triangles);
    return mesh;
}

pl_mesh* sample_join(const pl_mesh* a, const pl_mesh* b, double shift_x) {
    int vertex_count = a->vertex_count + b->vertex_count;
    int tet_count = a->tet_count + b->tet_count;
    int triangle_count = a->triangle_count + b->triangle_count;
    double* positions = malloc(3 * sizeof(double) * (size_t)vertex_count);
    int* tets = malloc(4 * sizeof(int) * (size_t)tet_count + 1);
    int* triangles = malloc(3 * sizeof(int) * (size_t)triangle_count + 1);
    for (int i = 0; i < 3 * vertex_count; i++) {
        int j = i - 3 * a->vertex_count;
        positions[i] = j < 0 ? a->positions[i] : b->positions[j] + (j % 3 == 0 ? shift_x : 0.0);
    }
    for (int i = 0; i < 4 * tet_count; i++)
        tets[i] =
            i < 4 * a->tet_count ? a->tets[i] : b->tets[i - 4 * a->tet_count] + a->vertex_count;
    for (int i = 0; i < 3 * triangle_count; i++)
        triangles[i] = i < 3 * a->triangle_count
                           ? a->triangles[i]
                           : b->triangles[i - 3 * a->triangle_count] + a->vertex_count;
    pl_mesh* mesh =
        sample_mesh(positions, vertex_count, tets, tet_count, triangles, triangle_count);
    free(positions);
    free(tets);
    free(triangles);
    return mesh;
}
