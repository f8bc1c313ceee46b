# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The explicit table of tensor file formats: io/formats/<id>.cpp has io::formats::<id>Format().
function(add_file_formats)
  set(declarations "")
  set(formats "")
  foreach(id IN LISTS ARGN)
    string(APPEND declarations "FileFormat ${id}Format();\n")
    string(APPEND formats "        formats::${id}Format(),\n")
  endforeach()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/file_formats_list.cpp")
  file(CONFIGURE OUTPUT "${file}" CONTENT "// Written by cmake/PolyadFileFormats.cmake
#include \"io/file_format.h\"
namespace io {
namespace formats {
${declarations}}
std::vector<FileFormat> makeFileFormats()
{
    return {
${formats}    };
}
} // namespace io
")
  target_sources(polyad_io PRIVATE "${file}")
endfunction()
