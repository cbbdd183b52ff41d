# Compiler flags that every target of pliant shares, as the interface library pliant_flags.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
if(PLIANT_SANITIZE)
    # wide code at -O2 takes the sanitizers minutes to compile
    set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g1")
endif()

add_library(pliant_flags INTERFACE)
target_compile_definitions(pliant_flags INTERFACE _GNU_SOURCE)
if(MINGW)
    # printf of C17, and files of more than 2 GB
    target_compile_definitions(pliant_flags INTERFACE __USE_MINGW_ANSI_STDIO=1 _FILE_OFFSET_BITS=64)
    # The stack is aligned to 16 bytes here, and GCC does not align wide variables on it further: the assembler
    # takes moves that need no alignment.
    target_compile_options(pliant_flags INTERFACE -Wa,-muse-unaligned-vector-move)
    target_link_options(pliant_flags INTERFACE -static)
endif()
# contraction off and no fast-math: the same bits from every compiler and thread count
target_compile_options(pliant_flags INTERFACE
    -Wall -Wextra -Wshadow -Wvla -pedantic -Wmissing-prototypes -Wno-psabi
    -ffp-contract=off -fno-math-errno)
target_link_libraries(pliant_flags INTERFACE Threads::Threads m)

if(PLIANT_TUNABLE)
    target_compile_definitions(pliant_flags INTERFACE PLIANT_TUNABLE)
endif()
if(PLIANT_WERROR)
    target_compile_options(pliant_flags INTERFACE -Werror)
endif()
if(PLIANT_SCALAR)
    target_compile_definitions(pliant_flags INTERFACE PL_LANES=1)
elseif(PLIANT_NATIVE)
    target_compile_options(pliant_flags INTERFACE -march=native)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        # GCC 12 leaves out the rounding of (double)(float)x where its own vectors have 512 bits. Wide
        # kernels ask for their width themselves.
        target_compile_options(pliant_flags INTERFACE -mprefer-vector-width=256)
    endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(pliant_flags INTERFACE -march=x86-64-v3)
endif()
if(PLIANT_SANITIZE)
    target_compile_options(pliant_flags INTERFACE -fsanitize=${PLIANT_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(pliant_flags INTERFACE -fsanitize=${PLIANT_SANITIZE})
    if(PLIANT_SANITIZE MATCHES undefined)
        # null + 0, which the next C defines, is an empty array here
        target_compile_options(pliant_flags INTERFACE -fno-sanitize-recover=undefined -fno-sanitize=pointer-overflow)
    endif()
endif()
