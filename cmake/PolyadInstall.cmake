# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# bin/ programs, lib/polyad/ our libraries, share/polyad/ samples. Programs find the rest relative to
# themselves, in the build folder too: it has the same shape.
#
# Components: polyad (programs, engine and what a desktop asks for), cuda and arrow (a module alone), dev (headers,
# libpolyad_io.a, find_package), bundle (what a folder without a packaging system has to carry itself).
include(CMakePackageConfigHelpers)

file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share/polyad")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/resources/samples" "${CMAKE_BINARY_DIR}/share/polyad/samples" SYMBOLIC)
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share/doc")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/docs" "${CMAKE_BINARY_DIR}/share/doc/polyad" SYMBOLIC)

# Where the project is at home. ".invalid" resolves nowhere by definition; whoever publishes a release says better.
set(POLYAD_HOMEPAGE "https://polyad.invalid" CACHE STRING "Address of the project in packages and metainfo")
set(POLYAD_CONTACT "The Polyad authors <authors@polyad.invalid>" CACHE STRING "Who answers for the packages")

# The manual pages are what the programs themselves say with --help. Nobody installs a sanitizer's build.
function(polyad_manual_page target)
  if(POLYAD_SANITIZE)
    return()
  endif()
  set(page "${CMAKE_BINARY_DIR}/share/man/man1/${target}.1")
  add_custom_command(OUTPUT "${page}"
    COMMAND bash "${CMAKE_SOURCE_DIR}/installer/man-page.sh" "$<TARGET_FILE:${target}>" "${PROJECT_VERSION}" "${page}"
    DEPENDS ${target} "${CMAKE_SOURCE_DIR}/installer/man-page.sh" VERBATIM COMMENT "Manual page of ${target}")
  add_custom_target(${target}_manual ALL DEPENDS "${page}")
  install(FILES "${page}" DESTINATION share/man/man1 COMPONENT polyad)
endfunction()

install(TARGETS polyad-cli RUNTIME DESTINATION bin COMPONENT polyad)
install(TARGETS polyad_kernels EXPORT Polyad LIBRARY DESTINATION "${POLYAD_LIBDIR}" COMPONENT polyad)
set_target_properties(polyad_kernels PROPERTIES INSTALL_RPATH "$ORIGIN" EXPORT_NAME kernels)
polyad_manual_page(polyad-cli)
if(TARGET polyad)
  install(TARGETS polyad RUNTIME DESTINATION bin COMPONENT polyad)
  polyad_manual_page(polyad)
  install(FILES "${CMAKE_BINARY_DIR}/share/polyad/translations/polyad_zh_CN.qm" DESTINATION share/polyad/translations COMPONENT polyad)
  set(id org.polyad.Polyad) # one name for all a desktop knows of the program
  configure_file(resources/${id}.metainfo.xml.in "${CMAKE_BINARY_DIR}/share/metainfo/${id}.metainfo.xml" @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/share/metainfo/${id}.metainfo.xml" DESTINATION share/metainfo COMPONENT polyad)
  install(FILES resources/${id}.desktop DESTINATION share/applications COMPONENT polyad)
  install(FILES resources/icons/${id}.svg DESTINATION share/icons/hicolor/scalable/apps COMPONENT polyad)
  install(FILES resources/${id}.mime.xml DESTINATION share/mime/packages RENAME ${id}.xml COMPONENT polyad)
endif()
if(TARGET polyad_cuda)
  install(TARGETS polyad_cuda LIBRARY DESTINATION "${POLYAD_LIBDIR}" COMPONENT cuda)
  set_target_properties(polyad_cuda PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
if(TARGET polyad_arrow)
  install(TARGETS polyad_arrow LIBRARY DESTINATION "${POLYAD_LIBDIR}" COMPONENT arrow)
  set_target_properties(polyad_arrow PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(FILES ${POLYAD_ARROW_CARRIED} DESTINATION "${POLYAD_LIBDIR}" COMPONENT arrow)
  install(FILES ${POLYAD_ARROW_LICENSES} DESTINATION share/doc/polyad-arrow COMPONENT arrow)
endif()
install(DIRECTORY resources/samples DESTINATION share/polyad COMPONENT polyad)
install(FILES installer/polyad-cli.bash-completion DESTINATION share/bash-completion/completions RENAME polyad-cli COMPONENT polyad)
# bash-completion looks below /usr, /usr/local and ~/.local.
install(CODE [[
  set(is_searched NO)
  foreach(prefix "/usr" "/usr/local" "$ENV{HOME}/.local")
    if("${CMAKE_INSTALL_PREFIX}" STREQUAL "${prefix}")
      set(is_searched YES)
    endif()
  endforeach()
  if(NOT is_searched AND "$ENV{DESTDIR}" STREQUAL "")
    message(STATUS "For completion of polyad-cli add to ~/.bashrc: "
      "source '${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions/polyad-cli'")
  endif()]] COMPONENT polyad)
install(FILES docs/FILE_FORMATS.md DESTINATION share/doc/polyad COMPONENT polyad)
install(DIRECTORY docs/guide docs/images DESTINATION share/doc/polyad COMPONENT polyad)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/polyad COMPONENT bundle)

# find_package(Polyad) gives Polyad::kernels and Polyad::io. Headers that need more than those stay here.
install(TARGETS polyad_io EXPORT Polyad ARCHIVE DESTINATION "${POLYAD_LIBDIR}" COMPONENT dev)
set_target_properties(polyad_io PROPERTIES EXPORT_NAME io)
install(DIRECTORY kernels io DESTINATION include/polyad COMPONENT dev FILES_MATCHING PATTERN "*.h"
  PATTERN "algorithms" EXCLUDE PATTERN "arrow" EXCLUDE PATTERN "hdf5_*" EXCLUDE PATTERN "json_text.h" EXCLUDE PATTERN "keys.h" EXCLUDE
  PATTERN "row_indexer.h" EXCLUDE)
set(config_dir lib/cmake/Polyad)
configure_package_config_file(cmake/PolyadConfig.cmake.in "${CMAKE_BINARY_DIR}/cmake/PolyadConfig.cmake"
  INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/cmake/PolyadConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/cmake/PolyadConfig.cmake" "${CMAKE_BINARY_DIR}/cmake/PolyadConfigVersion.cmake"
  DESTINATION ${config_dir} COMPONENT dev)
install(EXPORT Polyad FILE PolyadLibraries.cmake NAMESPACE Polyad:: DESTINATION ${config_dir} COMPONENT dev)
install(DIRECTORY examples/decompose DESTINATION share/doc/libpolyad-dev/examples COMPONENT dev)

include("${CMAKE_SOURCE_DIR}/installer/packages.cmake")
