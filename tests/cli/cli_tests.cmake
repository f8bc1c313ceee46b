# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# polyad-cli as a person uses it: QProcess tests, the completion in a real bash, and what runs claim
# recomputed by another program (Python with numpy and h5py).

polyad_tests(cli polyad_io)
foreach(name tst_cli_tools tst_cli_bench tst_cli_bench_ntf tst_cli_run tst_cli_cp tst_cli_output tst_cli_devices tst_cli_checkpoint tst_cli_compare
    tst_cli_report tst_cli_sweep tst_cli_tucker tst_cli_ntf tst_cli_update tst_cli_watch tst_cli_streams tst_cli_import)
  add_dependencies(${name} polyad-cli)
endforeach()

find_program(POLYAD_BASH bash)
if(POLYAD_BASH)
  add_test(NAME cli_completion COMMAND "${POLYAD_BASH}" "${CMAKE_CURRENT_SOURCE_DIR}/cli/completion_test.sh"
    "$<TARGET_FILE:polyad-cli>" "${CMAKE_SOURCE_DIR}/installer/polyad-cli.bash-completion")
  add_test(NAME cli_desktop COMMAND "${POLYAD_BASH}" "${CMAKE_CURRENT_SOURCE_DIR}/cli/desktop_test.sh" "${CMAKE_SOURCE_DIR}")
  add_test(NAME cli_installer COMMAND "${POLYAD_BASH}" "${CMAKE_CURRENT_SOURCE_DIR}/cli/installer_test.sh" "${CMAKE_SOURCE_DIR}")
  set_tests_properties(cli_completion cli_desktop cli_installer PROPERTIES LABELS cli TIMEOUT 120)
endif()

# Debian's python3-h5py and python3-numpy belong to the system's Python.
find_program(POLYAD_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(POLYAD_PYTHON)
  add_test(NAME cli_recompute COMMAND "${POLYAD_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/cli/recompute_test.py"
    "$<TARGET_FILE:polyad-cli>" "${CMAKE_SOURCE_DIR}/resources/samples/flights/flights.tns")
  set_tests_properties(cli_recompute PROPERTIES LABELS cli TIMEOUT ${POLYAD_TEST_LIMIT} SKIP_RETURN_CODE 77)
endif()
