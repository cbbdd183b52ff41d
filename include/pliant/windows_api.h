// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PL_API and PL_PRINTF of pliant/status.h on Windows.
#ifndef PLIANT_WINDOWS_API_H
#define PLIANT_WINDOWS_API_H

#ifdef PL_BUILD
#define PL_API __declspec(dllexport)
#else
#define PL_API
#endif

#ifdef __GNUC__
#define PL_PRINTF(format_index, first_argument)                                                    \
    __attribute__((format(gnu_printf, format_index, first_argument)))
#else
#define PL_PRINTF(format_index, first_argument)
#endif

#endif
