# Tests by Fencepost for CMake and ctest.
#
#   fencepost_add_test(NAME queue SOURCES queue_test.c MODEL rc11 OPTIONS --unroll 4 FLAGS -DN=3 TIMEOUT 60)
#   fencepost_add_test(NAME queue TARGET queue_test)          # sources, include folders and definitions of a target
#
# PASS is a passed test, FAIL a failed one, and UNKNOWN (exit code 3) is reported as skipped: look at its output.

find_program(FENCEPOST_EXECUTABLE fencepost DOC "the command of Fencepost")

function(fencepost_add_test)
  cmake_parse_arguments(FP "" "NAME;MODEL;TIMEOUT;TARGET" "SOURCES;OPTIONS;FLAGS" ${ARGN})
  if(NOT FP_NAME)
    message(FATAL_ERROR "fencepost_add_test: NAME is missing; expected NAME name SOURCES file...")
  endif()
  if(FP_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "fencepost_add_test(${FP_NAME}): unknown words: ${FP_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT FENCEPOST_EXECUTABLE)
    message(FATAL_ERROR "fencepost_add_test(${FP_NAME}): there is no fencepost on PATH; pip install fencepost, or set FENCEPOST_EXECUTABLE")
  endif()
  set(flags ${FP_FLAGS})
  if(FP_TARGET)
    get_target_property(sources ${FP_TARGET} SOURCES)
    get_target_property(folder ${FP_TARGET} SOURCE_DIR)
    foreach(source IN LISTS sources)
      if(source MATCHES "\\.(c|cc|cpp|cxx)$")  # headers are sources of a target, too
        get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
        list(APPEND FP_SOURCES "${source}")
      endif()
    endforeach()
    set(includes "$<TARGET_PROPERTY:${FP_TARGET},INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${FP_TARGET},COMPILE_DEFINITIONS>")
    list(APPEND flags "$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>"
      "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>")
  endif()
  if(NOT FP_SOURCES)
    message(FATAL_ERROR "fencepost_add_test(${FP_NAME}): no SOURCES and no TARGET")
  endif()
  set(model rc11)
  if(FP_MODEL)
    set(model ${FP_MODEL})
  endif()
  set(after "")
  if(flags)
    set(after -- ${flags})
  endif()
  add_test(NAME ${FP_NAME} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMAND_EXPAND_LISTS
    COMMAND ${FENCEPOST_EXECUTABLE} check ${FP_SOURCES} --model ${model} ${FP_OPTIONS} ${after})
  set_tests_properties(${FP_NAME} PROPERTIES SKIP_RETURN_CODE 3)
  if(FP_TIMEOUT)
    set_tests_properties(${FP_NAME} PROPERTIES TIMEOUT ${FP_TIMEOUT})
  endif()
endfunction()
