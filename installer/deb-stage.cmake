# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Run by CPack between staging and packing.
execute_process(COMMAND bash "${CMAKE_CURRENT_LIST_DIR}/deb-stage.sh" "${CPACK_TEMPORARY_DIRECTORY}"
  "${CPACK_PACKAGE_VERSION}" "${CPACK_PACKAGE_CONTACT}" COMMAND_ERROR_IS_FATAL ANY)
