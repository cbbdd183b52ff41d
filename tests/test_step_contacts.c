// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contacts of the iterations of a step.
#include "base/memory.h"
#include "step/step_contacts.h"
#include "test.h"

// A solid fills x < 0, y < 0; a vertex inside is pushed up.
static int detect_table(void* user, const double* start, const double* end, pl_contact* out,
                        int capacity) {
    (void)user, (void)start;
    if (!(end[0] < 0.0 && end[1] < 0.0)) return 0;
    if (capacity > 0)
        out[0] = (pl_contact){.point = {end[0], 0, 0}, .normal = {0, 1, 0}, .stiffness = 1.0};
    return 1;
}

TEST(step_contacts_of_a_vertex_at_an_edge_do_not_come_and_go_for_ever)
{
    const double inside[3] = {-0.1, -0.1, 0}, beside[3] = {0.1, -0.1, 0};
    double start[3] = {0}, scratch[6], dual[3] = {0};
    int mark = 0, at = 0, losses = 0;
    pl_minimiser m = {.count = 3,
                      .scratch = scratch,
                      .friction_dual = dual,
                      .contact_mark = &mark,
                      .contact_at = &at,
                      .contact_losses = &losses,
                      .contacts = pl_array_of(sizeof(pl_contact)),
                      .found = pl_array_of(sizeof(pl_contact))};
    pl_step_objective f = {.vertex_count = 1, .start = start};
    pl_error error;
    for (int step = 0; step < 2; step++) {
        mark = 0;
        for (int round = 0; round < 16; round++) {
            double x[3] = {0};
            for (int c = 0; c < 3; c++) x[c] = round % 2 ? beside[c] : inside[c];
            m.x = x;
            CHECK_OK(pl_step_contacts_find(&m, &f, detect_table, NULL, round, &error), &error);
            // out of the solid it is free six times; then the top of the table goes on
            CHECK_INT(f.contact_count, round % 2 && round < 12 ? 0 : 1);
        }
    }
    pl_array_free(&m.contacts);
    pl_array_free(&m.found);
}
