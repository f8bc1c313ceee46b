# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# bin/ programs, lib/polyad/ our libraries, share/polyad/ samples. Programs find the rest relative to
# themselves, in the build folder too: it has the same shape.

file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share/polyad")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/resources/samples" "${CMAKE_BINARY_DIR}/share/polyad/samples" SYMBOLIC)

install(TARGETS polyad-cli RUNTIME DESTINATION bin)
install(TARGETS polyad_kernels LIBRARY DESTINATION "${POLYAD_LIBDIR}")
set_target_properties(polyad_kernels PROPERTIES INSTALL_RPATH "$ORIGIN")
if(TARGET polyad)
  install(TARGETS polyad RUNTIME DESTINATION bin)
  install(FILES resources/org.polyad.Polyad.desktop DESTINATION share/applications)
  install(FILES resources/icons/org.polyad.Polyad.svg DESTINATION share/icons/hicolor/scalable/apps)
endif()
if(TARGET polyad_cuda)
  install(TARGETS polyad_cuda LIBRARY DESTINATION "${POLYAD_LIBDIR}")
  set_target_properties(polyad_cuda PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
install(DIRECTORY resources/samples DESTINATION share/polyad)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/polyad)
install(FILES installer/polyad-cli.bash-completion DESTINATION share/bash-completion/completions RENAME polyad-cli OPTIONAL)
