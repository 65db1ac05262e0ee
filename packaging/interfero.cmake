# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DCMAKE_TOOLCHAIN_FILE=PREFIX/share/interfero/interfero.cmake …: compiles and links through interfero. With clang:
# -DINTERFERO_COMPILER=clang, too.
if(INTERFERO_COMPILER STREQUAL clang)
  set(CMAKE_C_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../../bin/interfero-clang)
  set(CMAKE_CXX_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../../bin/interfero-clang++)
else()
  set(CMAKE_C_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../../bin/interfero-gcc)
  set(CMAKE_CXX_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../../bin/interfero-g++)
  set(CMAKE_Fortran_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../../bin/interfero-gfortran)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES INTERFERO_COMPILER)
