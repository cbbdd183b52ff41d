// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant-describe-test FILE: what a mesh file holds, as JSON with sums over its parts, for
// comparison with what other programs find in it.
#include <pliant/mesh.h>

#include <math.h>
#include <stdio.h>

static double tet_volume(const pl_mesh* mesh, int tet) {
    const int* t = mesh->tets + 4 * (size_t)tet;
    double e[3][3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            e[k][c] = mesh->positions[3 * (size_t)t[k + 1] + (size_t)c] -
                      mesh->positions[3 * (size_t)t[0] + (size_t)c];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
            e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6.0;
}

static double triangle_area(const pl_mesh* mesh, int triangle) {
    const int* t = mesh->triangles + 3 * (size_t)triangle;
    double e[2][3];
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 3; c++)
            e[k][c] = mesh->positions[3 * (size_t)t[k + 1] + (size_t)c] -
                      mesh->positions[3 * (size_t)t[0] + (size_t)c];
    double x = e[0][1] * e[1][2] - e[0][2] * e[1][1];
    double y = e[0][2] * e[1][0] - e[0][0] * e[1][2];
    double z = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    return sqrt(x * x + y * y + z * z) / 2.0;
}

static void print_fields(const pl_mesh* mesh) {
    static const char* const kinds[] = {"vertex", "triangle", "tet"};
    printf(", \"fields\": [");
    for (int i = 0; i < mesh->field_count; i++) {
        const pl_field* f = &mesh->fields[i];
        double sum = 0.0;
        size_t count = (size_t)pl_mesh_element_count(mesh, f->kind) * (size_t)f->components;
        for (size_t k = 0; k < count; k++) sum += f->values[k];
        printf("%s{\"name\": \"%s\", \"kind\": \"%s\", \"components\": %d, \"sum\": %.15g}",
               i ? ", " : "", f->name, kinds[f->kind], f->components, sum);
    }
    printf("]");
}

static void print_mesh(const pl_mesh* mesh) {
    double volume = 0.0, area = 0.0;
    for (int i = 0; i < mesh->tet_count; i++) volume += tet_volume(mesh, i);
    for (int i = 0; i < mesh->triangle_count; i++) area += triangle_area(mesh, i);
    printf("{\"vertices\": %d, \"tets\": %d, \"triangles\": %d, \"uvs\": %d, \"volume\": %.15g, "
           "\"area\": %.15g, \"regions\": %d",
           mesh->vertex_count, mesh->tet_count, mesh->triangle_count, mesh->uv_count, volume, area,
           mesh->region_count);
    print_fields(mesh);
    printf("}\n");
}

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: pliant-describe-test FILE\n");
        return 2;
    }
    pl_mesh* mesh;
    pl_error error = {0};
    pl_status status = pl_mesh_read(argv[1], NULL, &mesh, NULL, &error);
    if (status == PL_OK) print_mesh(mesh);
    else fprintf(stderr, "%s\n", error.text);
    pl_mesh_destroy(mesh);
    return status == PL_OK ? 0 : 2;
}
