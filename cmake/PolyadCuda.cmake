# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sets POLYAD_WITH_CUDA and prepares CMake 3.25 for CUDA 13, whose C++20 it does not know.

set(POLYAD_WITH_CUDA OFF)
if(NOT POLYAD_CUDA STREQUAL "OFF")
  find_program(POLYAD_NVCC nvcc HINTS "$ENV{CUDA_PATH}/bin" /usr/local/cuda/bin)
  if(POLYAD_NVCC)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "Releases use 75;80;86;89;90;100;120")
    endif()
    set(CMAKE_CUDA_COMPILER "${POLYAD_NVCC}")
    enable_language(CUDA)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    if(CCACHE_PROGRAM)
      set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(POLYAD_WITH_CUDA ON)
  elseif(POLYAD_CUDA STREQUAL "ON")
    message(FATAL_ERROR "POLYAD_CUDA is ON but nvcc was not found. Install the CUDA toolkit, put nvcc on PATH, or use -DPOLYAD_CUDA=OFF.")
  endif()
endif()
message(STATUS "CUDA module: ${POLYAD_WITH_CUDA}")
