# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
# `cmake --build --preset dev --target screenshots` writes build/screenshots/*.png.
file(GLOB screenshot_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/gui/screenshots*.cpp")
add_executable(polyad_screenshots EXCLUDE_FROM_ALL ${screenshot_sources})
set_target_properties(polyad_screenshots PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
target_include_directories(polyad_screenshots PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(polyad_screenshots PRIVATE polyad_ui polyad_options Qt6::Test)
add_custom_target(screenshots
  COMMAND ${CMAKE_COMMAND} -E env QT_QPA_PLATFORM=offscreen $<TARGET_FILE:polyad_screenshots> "${CMAKE_SOURCE_DIR}/build/screenshots"
  COMMAND ${CMAKE_COMMAND} -E env QT_QPA_PLATFORM=offscreen QT_SCALE_FACTOR=2
          $<TARGET_FILE:polyad_screenshots> "${CMAKE_SOURCE_DIR}/build/screenshots" few
  USES_TERMINAL COMMENT "Taking pictures of the window")
