# find_package(ipda) for clang 19: ipda_enable(TARGET ...) compiles a target with the plugin.
#
#   find_package(ipda REQUIRED)
#   ipda_enable(app OFFLOAD_ARCH sm_90 REPORT ${CMAKE_BINARY_DIR}/reports)
#
# Variables: IPDA_PLUGIN, the path of libipda.so, and IPDA_PROGRAM, that of the program `ipda`; set them to take others than those beside
# this file. The target ipda::ipda carries the plugin's flag alone, for target_link_libraries.

cmake_minimum_required(VERSION 3.21)

# Installed, this is PREFIX/lib/cmake/ipda; in a checkout, cmake/.
find_program(IPDA_PROGRAM ipda HINTS
  "${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../target/release" "${CMAKE_CURRENT_LIST_DIR}/../target/debug")
find_file(IPDA_PLUGIN libipda.so HINTS
  "${CMAKE_CURRENT_LIST_DIR}/../../ipda" "${CMAKE_CURRENT_LIST_DIR}/../target/release" "${CMAKE_CURRENT_LIST_DIR}/../target/debug"
  NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ipda REQUIRED_VARS IPDA_PLUGIN IPDA_PROGRAM HANDLE_COMPONENTS)
if(NOT ipda_FOUND)
  return()
endif()

# Another plugin makes other code: then CMake runs again, and the flag below is another one.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${IPDA_PLUGIN}")
file(SHA256 "${IPDA_PLUGIN}" _ipda_hash)

if(NOT TARGET ipda::ipda)
  add_library(ipda::ipda INTERFACE IMPORTED)
  foreach(_ipda_language C CXX CUDA HIP)
    # clang hands the second flag to a plugin that takes arguments, which there is none of; builds and compiler caches see another command.
    target_compile_options(ipda::ipda INTERFACE
      "$<$<COMPILE_LANG_AND_ID:${_ipda_language},Clang>:-fpass-plugin=${IPDA_PLUGIN};-fplugin-arg-ipda-${_ipda_hash}>")
  endforeach()
endif()

# ipda_enable(TARGET [OFFLOAD_ARCH PROCESSOR...] [REPORT FOLDER] [TRANSFORM WHAT] [MAPPING WHICH] [VERSION WHICH] [DECISION WHAT] [MAPS WHAT] [GPU NAME] [CPU NAME] [LINK NAME]
#   [REMARKS WHERE] [CHECK 0|1] [TRACE WHAT])
#
# OFFLOAD_ARCH compiles and links for OpenMP offloading to these processors, with a CUDA tree if one is needed and found.
# REPORT has each source write its report into the folder; no compiler cache is used then, for a report is written by a compilation.
# The others are the plugin's options of these names. Where GPU, CPU or LINK is the path of a YAML file, a change of the file has CMake run
# again and the target compiled again.
function(ipda_enable target)
  set(ipda_options GPU CPU LINK REMARKS TRANSFORM MAPPING VERSION DECISION MAPS MODEL CONST PURE HOST_CODE CHECK TRACE)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "REPORT;${ipda_options}" "OFFLOAD_ARCH")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "ipda_enable(${target}): not understood: ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  # What stands behind OFFLOAD_ARCH and is no argument's name would be taken for a processor.
  foreach(processor IN LISTS arg_OFFLOAD_ARCH)
    if(NOT processor MATCHES "^[a-z][a-z0-9_:+-]*$")
      message(FATAL_ERROR "ipda_enable(${target}): neither an argument nor a processor: ${processor}")
    endif()
  endforeach()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language IN LISTS languages)
    if(language MATCHES "^(C|CXX|CUDA|HIP)$" AND NOT
        (CMAKE_${language}_COMPILER_ID STREQUAL "Clang" AND CMAKE_${language}_COMPILER_VERSION MATCHES "^19\\."))
      message(FATAL_ERROR "ipda_enable(${target}): the ${language} compiler is ${CMAKE_${language}_COMPILER_ID} "
        "${CMAKE_${language}_COMPILER_VERSION}, and the plugin works in clang 19: set CMAKE_${language}_COMPILER")
    endif()
  endforeach()
  # The flags for this target alone, whatever links to it.
  get_target_property(flags ipda::ipda INTERFACE_COMPILE_OPTIONS)
  target_compile_options(${target} PRIVATE ${flags})

  set(environment "")
  set(files "")
  foreach(option REPORT ${ipda_options})
    if(DEFINED arg_${option})
      set(value "${arg_${option}}")
      # A description of hardware of one's own: the compiler runs elsewhere, and its contents are part of what is compiled.
      if(option MATCHES "^(GPU|CPU|LINK)$" AND value MATCHES "\\.ya?ml$")
        get_filename_component(value "${value}" ABSOLUTE)
        if(NOT EXISTS "${value}")
          message(FATAL_ERROR "ipda_enable(${target}): ${option} names a file that is not there: ${value}")
        endif()
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${value}")
        file(SHA256 "${value}" hash)
        list(APPEND files "${hash}")
      endif()
      list(APPEND environment "IPDA_${option}=${value}")
    endif()
  endforeach()
  if(environment)
    foreach(language IN ITEMS C CXX CUDA HIP)
      set(launcher "${CMAKE_COMMAND}" -E env ${environment})
      get_target_property(cache ${target} ${language}_COMPILER_LAUNCHER)
      if(cache AND NOT DEFINED arg_REPORT)
        list(APPEND launcher ${cache})
      endif()
      set_target_properties(${target} PROPERTIES ${language}_COMPILER_LAUNCHER "${launcher}")
    endforeach()
    # What the options are is part of the command, for compiler caches, which do not look at the environment.
    string(SHA256 options "${environment};${files}")
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX,CUDA,HIP>:-fplugin-arg-ipda-options-${options}>")
    if(DEFINED arg_REPORT)
      file(MAKE_DIRECTORY "${arg_REPORT}")
    endif()
  endif()

  if(arg_OFFLOAD_ARCH)
    list(JOIN arg_OFFLOAD_ARCH "," processors)
    set(offload -fopenmp "--offload-arch=${processors}")
    # The program knows where CUDA trees are.
    set(compiler "${CMAKE_C_COMPILER}")
    if(NOT compiler)
      set(compiler "${CMAKE_CXX_COMPILER}")
    endif()
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env "LIBIPDA=${IPDA_PLUGIN}"
      "${IPDA_PROGRAM}" cc --print "${compiler}" ${offload} -c source.c OUTPUT_VARIABLE command)
    if(command MATCHES "--start-no-unused-arguments .* --end-no-unused-arguments")
      list(APPEND offload "SHELL:${CMAKE_MATCH_0}")
    endif()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:${offload}>")
    target_link_options(${target} PRIVATE ${offload})
    # LLVM's own folder, where libomptarget.so is.
    get_filename_component(real "${compiler}" REALPATH)
    get_filename_component(bin "${real}" DIRECTORY)
    get_filename_component(llvm "${bin}" DIRECTORY)
    set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH "${llvm}/lib")
  endif()
endfunction()
