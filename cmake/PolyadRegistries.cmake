# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The explicit tables of what exists. An algorithm is a folder kernels/algorithms/<id>/ whose namespace
# kernels::<id> has
#   AlgorithmInfo info();                   solver.cpp
#   void addCpuBackEnds(BackEnds&);         cpu.cpp
#   void addCudaBackEnds(BackEnds&);        cuda.cu (in the CUDA module)
# A tensor format is kernels/formats/<id>.{h,cpp} with kernels::formats::<id>Info().
# (An explicit list: a static table of objects that register themselves is dropped by linkers and hard to read.)

function(add_algorithms)
  set(declarations "")
  set(infos "")
  set(backends "")
  foreach(id IN LISTS ARGN)
    string(APPEND declarations "namespace ${id} { AlgorithmInfo info(); void addCpuBackEnds(BackEnds&); }\n")
    string(APPEND infos "        ${id}::info(),\n")
    string(APPEND backends "    ${id}::addCpuBackEnds(table);\n")
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/algorithms/${id}/*.cpp")
    list(FILTER sources EXCLUDE REGEX "_isa\\.cpp$") # compiled once per instruction set: add_isa_instances
    target_sources(polyad_kernels PRIVATE ${sources})
    file(GLOB isa_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/algorithms/${id}/*_isa.cpp")
    foreach(source IN LISTS isa_sources)
      add_isa_instances(polyad_kernels "${source}")
    endforeach()
  endforeach()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/algorithms_list.cpp")
  file(CONFIGURE OUTPUT "${file}" CONTENT "// Written by cmake/PolyadRegistries.cmake
#include \"kernels/base/registry.h\"
#include \"kernels/device/back_ends.h\"
namespace kernels {
${declarations}
std::vector<AlgorithmInfo> makeAlgorithms()
{
    return {
${infos}    };
}
void addCpuBackEnds(BackEnds& table)
{
${backends}}
} // namespace kernels
")
  target_sources(polyad_kernels PRIVATE "${file}")
  set(POLYAD_ALGORITHMS "${ARGN}" PARENT_SCOPE)
endfunction()

function(add_tensor_formats)
  set(declarations "")
  set(infos "")
  foreach(id IN LISTS ARGN)
    string(APPEND declarations "TensorFormatInfo ${id}Info();\n")
    string(APPEND infos "        formats::${id}Info(),\n")
  endforeach()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/formats_list.cpp")
  file(CONFIGURE OUTPUT "${file}" CONTENT "// Written by cmake/PolyadRegistries.cmake
#include \"kernels/base/registry.h\"
namespace kernels {
namespace formats {
${declarations}}
std::vector<TensorFormatInfo> makeTensorFormats()
{
    return {
${infos}    };
}
} // namespace kernels
")
  target_sources(polyad_kernels PRIVATE "${file}")
endfunction()

# Compiles one source once per x86-64 level with POLYAD_ISA set to its namespace (v2, v3, v4), so that a
# program built anywhere uses the vectors of the machine it runs on. Such a source must define nothing
# outside namespace POLYAD_ISA and use no inline functions of others: the linker may keep any one copy.
function(add_isa_instances target source)
  get_filename_component(stem "${source}" NAME_WE)
  get_filename_component(folder "${source}" DIRECTORY)
  get_filename_component(id "${folder}" NAME)
  set(levels v2 v3 v4)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(levels generic)
  endif()
  foreach(level IN LISTS levels)
    set(file "${CMAKE_CURRENT_BINARY_DIR}/isa/${id}_${stem}_${level}.cpp")
    file(CONFIGURE OUTPUT "${file}" CONTENT "#define POLYAD_ISA ${level}\n#include \"${source}\"\n")
    target_sources(${target} PRIVATE "${file}")
    set_source_files_properties("${file}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON) # they are of another instruction set
    if(NOT level STREQUAL "generic")
      set(flags -march=x86-64-${level})
      if(level STREQUAL "v4")
        list(APPEND flags -mprefer-vector-width=512)
      endif()
      set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS "${flags};-O3;-ffp-contract=fast;-fno-math-errno")
    endif()
  endforeach()
endfunction()

function(add_cuda_algorithms target)
  set(declarations "")
  set(backends "")
  foreach(id IN LISTS POLYAD_ALGORITHMS)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/algorithms/${id}/*.cu")
    if(sources)
      string(APPEND declarations "namespace ${id} { void addCudaBackEnds(BackEnds&); }\n")
      string(APPEND backends "    ${id}::addCudaBackEnds(table);\n")
      target_sources(${target} PRIVATE ${sources})
    endif()
  endforeach()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/cuda_algorithms_list.cpp")
  file(CONFIGURE OUTPUT "${file}" CONTENT "// Written by cmake/PolyadRegistries.cmake
#include \"kernels/device/back_ends.h\"
namespace kernels {
${declarations}
void addCudaAlgorithms(BackEnds& table)
{
    (void)table;
${backends}}
} // namespace kernels
")
  target_sources(${target} PRIVATE "${file}")
endfunction()
