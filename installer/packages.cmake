# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Debian packages from the components of cmake/PolyadInstall.cmake; installer/deb.sh builds them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "${POLYAD_CONTACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL polyad dev)
if(TARGET polyad_cuda)
  list(APPEND CPACK_COMPONENTS_ALL cuda)
endif()
if(TARGET polyad_arrow)
  list(APPEND CPACK_COMPONENTS_ALL arrow)
endif()
# Licence, changelog, compressed pages: what Debian asks of every package.
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/installer/deb-stage.cmake")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_BINARY_DIR}/lib" ${POLYAD_PYARROW})
if(NOT POLYAD_HOMEPAGE MATCHES "[.]invalid$")
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${POLYAD_HOMEPAGE}")
endif()
set(same "(= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_POLYAD_PACKAGE_NAME polyad)
set(CPACK_DEBIAN_POLYAD_PACKAGE_SECTION science)
set(CPACK_DEBIAN_POLYAD_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_POLYAD_PACKAGE_RECOMMENDS "desktop-file-utils, hicolor-icon-theme, shared-mime-info")
set(CPACK_DEBIAN_POLYAD_PACKAGE_SUGGESTS "bash-completion, fonts-noto-cjk, polyad-arrow, polyad-cuda, qt6-translations-l10n")
set(CPACK_DEBIAN_POLYAD_DESCRIPTION "workbench for sparse tensor decomposition
Polyad opens a sparse tensor, decomposes it with the algorithm, rank,
precision and device of your choice, shows how it converges and saves the
model as HDF5. This package has the window (polyad), the command line
(polyad-cli) and the engine for the CPU.")

# Only suggested: a driver that was not installed by apt must not be overlaid by one that is. CUDA 13 needs 580.
set(CPACK_DEBIAN_CUDA_PACKAGE_NAME polyad-cuda)
set(CPACK_DEBIAN_CUDA_PACKAGE_SECTION non-free/science)
set(CPACK_DEBIAN_CUDA_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "polyad ${same}")
set(CPACK_DEBIAN_CUDA_PACKAGE_SUGGESTS "cuda-cupti-13-0, libcuda1 (>= 580), libnvidia-ml1 (>= 580)")
set(CPACK_DEBIAN_CUDA_DESCRIPTION "workbench for sparse tensor decomposition - NVIDIA GPUs
The module that lets Polyad compute on NVIDIA GPUs. It carries NVIDIA's
run-time library and needs a driver of version 580 or later; without one
Polyad says so and computes on the CPU.")

set(CPACK_DEBIAN_ARROW_PACKAGE_NAME polyad-arrow)
set(CPACK_DEBIAN_ARROW_PACKAGE_SECTION science)
set(CPACK_DEBIAN_ARROW_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ARROW_PACKAGE_DEPENDS "polyad ${same}, tzdata")
set(CPACK_DEBIAN_ARROW_DESCRIPTION "workbench for sparse tensor decomposition - Parquet and Arrow files
The module that lets Polyad read Parquet, Feather, Arrow IPC and ORC files.
It carries the libraries of Apache Arrow, which Debian 12 does not have.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libpolyad-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "polyad ${same}, libeigen3-dev, libexpat1-dev, libfmt-dev, libhdf5-dev, libisal-dev, libsqlite3-dev, libssl-dev, libtbb-dev, libzip-dev, libzstd-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "cmake")
set(CPACK_DEBIAN_DEV_DESCRIPTION "workbench for sparse tensor decomposition - development files
Headers, a static library and CMake's find_package(Polyad) for programs that
use Polyad's engine (Polyad::kernels) and its file formats (Polyad::io). The
interface may change with every version.")
include(CPack)
