// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Data shared by the files of the coupling.
#ifndef PL_WORLD_COUPLING_DATA_H
#define PL_WORLD_COUPLING_DATA_H

#include "contact/push_list.h"
#include "world/world_build.h"

typedef struct pl_coupled_system {
    bool is_coupled;
    bool was_pushed;        // in the last round
    bool was_pushed_before; // in the last step
    bool is_repeated;       // the next step starts where the last one did
    void* saved;            // method and guard, at the start of the step
    size_t room;
    pl_frame_info told; // of its step; iterations and seconds of all rounds
} pl_coupled_system;

struct pl_world_coupling {
    pl_surface_set* surfaces;
    int* body_of_surface;
    int* system_of_surface;
    bool* never; // per pair of surfaces, as `parted`: they do not meet here
    int system_count;
    int* firsts; // per system its first vertex here, and the sum
    pl_coupled_system* systems;
    pl_push_response* responses;
    double *start, *end, *before; // places: of the step, of the last round; 3 per vertex
    double *push, *push_before;   // [kg m]
    double* force;                // [N]
    double *mass, *inverse_mass;
    double* limits; // 1 between uses
    bool* held;
    pl_push_list list;
    pl_array kept, kept_before; // of pl_kept_push: of the last step; of the last frame
    pl_array pairs;             // of pl_contact_pair: of the last search
    pl_array parts;             // of double: the part of the way that each allows
};

// Copies the present positions of all vertices, 3 each.
void pl_world_coupling_gather(const pl_world* world, double* out);

#endif
