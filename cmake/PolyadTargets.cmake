# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What every target shares: language, warnings, sanitizers, output folders, and the rule that a
# folder's headers are visible only to targets that link it.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
# Programs and libraries find each other relative to themselves, so a build or install folder may move.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(POLYAD_LIBDIR "lib/polyad")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib/polyad")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# -Wno-restrict: GCC 12 warns of std::string concatenation that is right (its bug 105651).
add_library(polyad_options INTERFACE)
target_compile_options(polyad_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-psabi>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # What travels names no path of the machine it was built on.
  target_compile_options(polyad_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=>)
endif()
if(POLYAD_WERROR)
  target_compile_options(polyad_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(POLYAD_SANITIZE)
  target_compile_definitions(polyad_options INTERFACE POLYAD_SANITIZED)
  target_compile_options(polyad_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${POLYAD_SANITIZE} -fno-sanitize-recover=all>)
  target_link_options(polyad_options INTERFACE -fsanitize=${POLYAD_SANITIZE})
endif()

# polyad_public_headers(TARGET FOLDER): lets whoever links TARGET write #include "FOLDER/…".
# The include path is a folder that holds nothing but a link to FOLDER, so no other room is visible.
function(polyad_public_headers target folder)
  set(view "${CMAKE_BINARY_DIR}/include/${target}")
  file(MAKE_DIRECTORY "${view}")
  file(CREATE_LINK "${CMAKE_SOURCE_DIR}/${folder}" "${view}/${folder}" SYMBOLIC)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${view}>" "$<INSTALL_INTERFACE:include/polyad>")
endfunction()

# polyad_precompile(TARGET HEADERS… | REUSE_FROM OTHER): headers of libraries that take longer to read than a file's own lines. Files still
# include what they use: POLYAD_PRECOMPILE=OFF compiles without. -fpch-preprocess is what ccache needs.
option(POLYAD_PRECOMPILE "Read large headers of libraries once a target" ON)
function(polyad_precompile target)
  if(NOT POLYAD_PRECOMPILE)
    return()
  endif()
  if(ARGV1 STREQUAL REUSE_FROM)
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endfunction()

# polyad_unity(TARGET): compiles several files of a target at once, so that their headers are read and their templates made
# only once. A name that two files have for themselves would mean another thing then, so that they go into different groups.
option(POLYAD_UNITY "Compile several files at once: building all takes half as long, building one that has changed takes longer" OFF)
# Warnings that mean something only where a file is compiled alone, which the other builds do.
add_library(polyad_unity_options INTERFACE)
target_compile_options(polyad_unity_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized -Wno-shadow -Wno-subobject-linkage>)
function(polyad_unity target)
  if(NOT POLYAD_UNITY)
    return()
  endif()
  set(most 12) # files of a group: several cores have something to do
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:polyad_unity_options>) # after polyad_options, which it overrules
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" directives REGEX "^using namespace ")
    if(directives) # it would open the namespace to the files behind it, too
      continue()
    endif()
    polyad_outermost_names("${source}" names)
    set(group 0)
    set(fits OFF)
    while(NOT fits)
      math(EXPR group "${group} + 1")
      set(common ${names})
      list(REMOVE_ITEM common "" ${names_of_${group}})
      list(LENGTH files_of_${group} files)
      if("${common}" STREQUAL "${names}" AND files LESS most)
        set(fits ON)
      endif()
    endwhile()
    list(APPEND names_of_${group} ${names})
    list(APPEND files_of_${group} "${source}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# What begins a line is outermost, thanks to clang-format: functions, constants and types, in anonymous namespaces or not.
function(polyad_outermost_names source result)
  file(READ "${source}" text)
  string(REGEX MATCHALL "\n[A-Za-z][A-Za-z0-9_:<>,&* ]*[ *&][A-Za-z0-9_]+ ?[({=:]" lines "${text}")
  set(names)
  list(FILTER lines EXCLUDE REGEX "^\n(namespace|using) ")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^.*[ *&]([A-Za-z0-9_]+) ?[({=:]$" "\\1" name "${line}")
    list(APPEND names "${name}")
  endforeach()
  string(REGEX MATCHALL ", [A-Za-z0-9_]+ = " further "${text}") # constexpr int a = 1, b = 2
  string(REGEX REPLACE ", ([A-Za-z0-9_]+) = " "\\1" further "${further}")
  list(APPEND names ${further})
  list(REMOVE_DUPLICATES names)
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# polyad_check_headers(TARGET [EXCLUDE regex]): compiles every header below the calling folder alone.
function(polyad_check_headers target)
  if(NOT POLYAD_CHECK_HEADERS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "EXCLUDE;FOLDER" "LINK" ${ARGN})
  if(NOT ARG_FOLDER)
    file(RELATIVE_PATH ARG_FOLDER "${CMAKE_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/${ARG_FOLDER}/*.h")
  set(sources)
  foreach(header IN LISTS headers)
    if(ARG_EXCLUDE AND header MATCHES "${ARG_EXCLUDE}")
      continue()
    endif()
    string(REPLACE "/" "_" name "${header}")
    set(source "${CMAKE_BINARY_DIR}/header_check/${target}/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\" // compiles alone\n")
    list(APPEND sources "${source}")
  endforeach()
  if(sources)
    add_library(${target}_headers OBJECT ${sources})
    target_link_libraries(${target}_headers PRIVATE ${target} polyad_options ${ARG_LINK})
  endif()
endfunction()
