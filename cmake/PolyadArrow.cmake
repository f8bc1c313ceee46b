# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Finds Apache Arrow's C++ libraries for the Arrow module and sets POLYAD_WITH_ARROW: in the PyPI wheel "pyarrow", which has headers and
# libraries, or as installed for CMake. The module needs Arrow 21 or later.

set(POLYAD_ARROW "AUTO" CACHE STRING "Build the Arrow module (Parquet, Feather, ORC): AUTO (when Arrow is found), ON or OFF")
set_property(CACHE POLYAD_ARROW PROPERTY STRINGS AUTO ON OFF)
set(POLYAD_PYARROW "" CACHE PATH "Folder of the unpacked wheel pyarrow (with include/ and libarrow.so.NNNN), which installer/arrow.sh gets")

set(POLYAD_WITH_ARROW OFF)
set(POLYAD_ARROW_LIBRARIES "")  # what the module links
set(POLYAD_ARROW_CARRIED "")  # files that go with the module where it is installed
if(NOT POLYAD_ARROW STREQUAL "OFF")
  if(POLYAD_PYARROW)
    set(lacking "")
    foreach(name arrow parquet arrow_compute)
      file(GLOB library "${POLYAD_PYARROW}/lib${name}.so.[0-9]*")
      list(FILTER library EXCLUDE REGEX "[.]so[.][0-9]+[.]")
      if(NOT library)
        string(APPEND lacking " lib${name}.so")
      endif()
      list(APPEND POLYAD_ARROW_CARRIED ${library})
    endforeach()
    if(NOT EXISTS "${POLYAD_PYARROW}/include/arrow/api.h")
      string(APPEND lacking " include/arrow/api.h")
    endif()
    if(lacking)
      message(FATAL_ERROR "POLYAD_PYARROW=${POLYAD_PYARROW} lacks:${lacking}. Run installer/arrow.sh, which gets a wheel of pyarrow 21 or later.")
    endif()
    file(GLOB POLYAD_ARROW_LICENSES "${POLYAD_PYARROW}/licenses/*.txt" "${POLYAD_PYARROW}/../pyarrow-*.dist-info/licenses/*.txt")
    add_library(polyad_pyarrow INTERFACE)
    target_include_directories(polyad_pyarrow SYSTEM INTERFACE "${POLYAD_PYARROW}/include")
    target_link_libraries(polyad_pyarrow INTERFACE ${POLYAD_ARROW_CARRIED})
    set(POLYAD_ARROW_LIBRARIES polyad_pyarrow)
    set(POLYAD_WITH_ARROW ON)
  else()
    find_package(Arrow QUIET CONFIG)
    find_package(Parquet QUIET CONFIG)
    find_package(ArrowCompute QUIET CONFIG)
    if(Arrow_FOUND AND Parquet_FOUND AND ArrowCompute_FOUND AND Arrow_VERSION VERSION_GREATER_EQUAL 21)
      set(POLYAD_ARROW_LIBRARIES Arrow::arrow_shared Parquet::parquet_shared ArrowCompute::arrow_compute_shared)
      set(POLYAD_WITH_ARROW ON)
    elseif(POLYAD_ARROW STREQUAL "ON")
      message(FATAL_ERROR "POLYAD_ARROW is ON but Arrow 21 or later was not found. Run installer/arrow.sh, set POLYAD_PYARROW, or use -DPOLYAD_ARROW=OFF.")
    endif()
  endif()
endif()
message(STATUS "Arrow module: ${POLYAD_WITH_ARROW}")
