// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include <pliant/pliant.h>
#include <stdio.h>

int main(void) {
    const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int tet[] = {0, 1, 2, 3};
    pl_mesh* mesh;
    pl_error error;
    if (pl_mesh_create(corners, 4, tet, 1, NULL, 0, &mesh, &error) != PL_OK) return 1;
    printf("pliant %s: %d tet\n", pl_version(), mesh->tet_count);
    pl_mesh_destroy(mesh);
    return pl_byte_count() == 0 ? 0 : 1;
}
