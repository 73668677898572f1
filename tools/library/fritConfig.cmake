# find_package(frit) gives frit::frit, the shared library, and frit::frit_static, which becomes part of the program.
# Both are all that a program needs: what Frit is built with is inside.
if(TARGET frit::frit)
  return()
endif()

# Found from where this file lies, so that the tree may be moved.
get_filename_component(_frit_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)

add_library(frit::frit SHARED IMPORTED)
set_target_properties(frit::frit PROPERTIES
  IMPORTED_LOCATION "${_frit_prefix}/lib/libfrit.so.${frit_VERSION}"
  IMPORTED_SONAME "libfrit.so.0")

add_library(frit::frit_static STATIC IMPORTED)
set_target_properties(frit::frit_static PROPERTIES
  IMPORTED_LOCATION "${_frit_prefix}/lib/libfrit.a"
  IMPORTED_LINK_INTERFACE_LANGUAGES CXX
  INTERFACE_LINK_LIBRARIES "Threads::Threads;m")

foreach(_frit_target frit::frit frit::frit_static)
  set_target_properties(${_frit_target} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_frit_prefix}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_20)
endforeach()
unset(_frit_target)
unset(_frit_prefix)
