// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Elements of one kind (tets, springs, triangles, hinges) and their sums over a mesh: energy,
// gradient, matrix.
//
// An element knows only its own corners: a kind is three small functions of the corners' positions.
// Sums run over coloured chunks (chunks.h), so that their bits do not depend on the threads.
#ifndef PL_STEP_ELEMENT_SET_H
#define PL_STEP_ELEMENT_SET_H

#include "sparse/block_matrix.h"
#include "step/chunks.h"

enum { PL_MAX_CORNERS = 6 };

typedef struct pl_element_set pl_element_set;

// x: 3 per corner; gradient: 3 per corner; hessian: (3 corners)^2, row-major, symmetric.
typedef struct pl_element_functions {
    const char* name;
    int corner_count;
    double (*energy)(const void* data, int element, const double* x);
    void (*gradient)(const void* data, int element, const double* x, double* gradient);
    void (*hessian)(const void* data, int element, const double* x, bool projected,
                    double* hessian);
    // The stiffness of Projective Dynamics: the scalar matrix that bounds the Hessian, corners^2.
    void (*projective)(const void* data, int element, double* matrix);
    void (*destroy)(void* data);
    // gradient of all vertices += that of elements [first, last), several at a time; NULL: one by
    // one, by the function above
    void (*gradients)(const pl_element_set* set, int first, int last, const double* x,
                      double* gradient);
    // the sum of their energies; NULL as above
    double (*energies)(const pl_element_set* set, int first, int last, const double* x);
    // both in the time of `gradients`; NULL: energies take a separate pass
    double (*energies_and_gradients)(const pl_element_set* set, int first, int last,
                                     const double* x, double* gradient);
    // gradient += that of all elements; returns the sum of all energies. For kinds that cache them;
    // NULL: the functions above are used.
    void (*all_gradients)(const pl_element_set* set, pl_pool* pool, const double* x,
                          double* gradient);
    double (*all_energies)(const pl_element_set* set, pl_pool* pool, const double* x);
    // A += scale times the Hessians of some elements of [first, last), starting with `first`.
    // Returns how many; the caller continues after them. If it returns 0 or is NULL, element
    // `first` is added by the function above.
    int (*hessians)(const pl_element_set* set, int first, int last, const double* x, bool projected,
                    double scale, pl_block_matrix* A);
    // The form of a set by vertex (set->gather): created by `gather`; gradient += dE/dx for the
    // vertices [begin, end), and the sum of each vertex's share of the energy. NULL: the kind has
    // no such form.
    pl_status (*gather)(pl_element_set* set, int vertex_count, pl_error* error);
    double (*gather_add)(const void* gather, int begin, int end, const double* x, double* gradient);
    void (*gather_destroy)(void* gather);
} pl_element_functions;

struct pl_element_set {
    const pl_element_functions* kind;
    void* data; // owned
    int count;
    int* corners; // corner_count per element, owned

    pl_chunks chunks;
    void* gather; // the form by vertex, owned; NULL: not requested, or the kind has none
    int gather_vertex_count;

    // positions of the element's blocks in the matrix of the system, corner_count^2 per element;
    // set by pl_element_set_locate
    int* entries;
};

// Takes over corners (allocated with PL_ALLOC, count * corner_count) and data, also when it fails.
pl_status pl_element_set_setup(pl_element_set* set, const pl_element_functions* kind, void* data,
                               int* corners, int count, int vertex_count, pl_error* error);
void pl_element_set_free(pl_element_set* set);
// Looks up the position of each element's blocks in a matrix of the system's vertices.
pl_status pl_element_set_locate(pl_element_set* set, const pl_block_matrix* A, pl_error* error);
pl_status pl_element_set_locate_by(pl_pool* pool, pl_element_set* set, const pl_block_matrix* A,
                                   pl_error* error);

// From now on elements are gathered by vertex, if the kind has that form.
pl_status pl_element_set_gather(pl_element_set* set, int vertex_count, pl_error* error);

// How many elements have all their corners within `limit` of the first.
int pl_element_set_collapsed(const pl_element_set* set, pl_pool* pool, const double* x,
                             double limit);
// energy of the elements [first, last)
double pl_element_set_energy_of(const pl_element_set* set, int first, int last, const double* x);
double pl_element_set_energy(const pl_element_set* set, pl_pool* pool, const double* x);
// gradient += dE/dx
void pl_element_set_gradient(const pl_element_set* set, pl_pool* pool, const double* x,
                             double* gradient);
// True if the energy comes with the gradient at no extra cost.
bool pl_element_set_has_both(const pl_element_set* set);
// gradient += dE/dx; returns the energy. For sets that are not gathered by vertex.
double pl_element_set_energy_and_gradient(const pl_element_set* set, pl_pool* pool, const double* x,
                                          double* gradient);
// A += scale d2E/dx2 (block 3)
void pl_element_set_hessian(const pl_element_set* set, pl_pool* pool, const double* x,
                            bool projected, double scale, pl_block_matrix* A);
// A += the Projective Dynamics stiffness (block 1)
void pl_element_set_projective(const pl_element_set* set, pl_pool* pool, pl_block_matrix* A);

#endif
