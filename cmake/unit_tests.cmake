# One test program a layer; each x_test.cpp of the layer is in it. An x_long_test.cpp is built a second time
# beside the release build: there it asks everything, under sanitizers a part of it (src/model/long_testing.hpp).
find_package(GTest REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
include(GoogleTest)

# Half of the time of a sanitized build would go into optimising tests. They spend theirs in the library, which
# keeps its optimisation.
function(test_options target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # Its -Wconversion also speaks of signs, which GCC's does not; tests are held to GCC's.
    target_compile_options(${target} PRIVATE -Wno-sign-conversion)
  endif()
  if(ARCWISE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# The headers of tests, precompiled once for all layers. The few long tests would not earn that back.
if(ARCWISE_PCH AND NOT ARCWISE_TESTS STREQUAL LONG)
  file(WRITE ${CMAKE_BINARY_DIR}/test_headers.cpp "")
  add_library(test_headers OBJECT ${CMAKE_BINARY_DIR}/test_headers.cpp)
  target_include_directories(test_headers PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(test_headers PRIVATE GTest::gmock rapidcheck nlohmann_json::nlohmann_json)
  test_options(test_headers)
  precompile(test_headers <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h> <nlohmann/json.hpp>)
endif()

# Every TEST_P of these sources as one test, over all its parameters: a thousand starts of a sanitized program take longer
# than many of the tests. What the sources do not name in this way is asked by a test of its own.
function(add_parameterised program sources properties)
  set(patterns)
  foreach(source ${sources})
    file(READ ${source} text)
    string(REGEX MATCHALL "TEST_P\\([ \n]*[A-Za-z0-9_]+,[ \n]*[A-Za-z0-9_]+\\)" found "${text}")
    foreach(macro ${found})
      string(REGEX REPLACE "TEST_P\\([ \n]*([A-Za-z0-9_]+),[ \n]*([A-Za-z0-9_]+)\\)" "\\1.\\2" name "${macro}")
      add_test(NAME ${prefix}${name} COMMAND ${program} "--gtest_filter=*/${name}/*")
      set_tests_properties(${prefix}${name} PROPERTIES COST 60 ${properties})
      list(APPEND patterns "*/${name}/*")
    endforeach()
  endforeach()
  list(JOIN patterns : known)
  add_test(NAME ${prefix}${program}.other_parameters COMMAND ${program} "--gtest_filter=*/*-${known}")
  set_tests_properties(${prefix}${program}.other_parameters PROPERTIES ${properties})
endfunction()

function(layer_tests layer)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${layer}/*_test.cpp)
  if(ARCWISE_TESTS STREQUAL LONG)
    list(FILTER tests INCLUDE REGEX "_long_test\\.cpp$")
  endif()
  if(NOT tests)
    return()
  endif()
  add_executable(${layer}_test ${tests})
  target_include_directories(${layer}_test PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(${layer}_test PRIVATE
    ARCWISE_TESTDATA="${CMAKE_SOURCE_DIR}/testdata" ARCWISE_SOURCE="${CMAKE_SOURCE_DIR}"
    ARCWISE_BINARY="${CMAKE_BINARY_DIR}/bin/arcwise")
  target_link_libraries(${layer}_test PRIVATE ${ARGN} GTest::gtest_main GTest::gmock rapidcheck)
  test_options(${layer}_test)
  if(TARGET test_headers)
    target_precompile_headers(${layer}_test REUSE_FROM test_headers)
  endif()
  set(cost 0)
  if(ARCWISE_TESTS STREQUAL LONG)
    set(cost 50)  # before the short ones, as in whole_tests.cmake
  endif()
  # RC_PARAMS: property tests try the same cases on every run; start the program itself to try others.
  set(properties TIMEOUT 1200 ENVIRONMENT "RC_PARAMS=seed=20240229")
  gtest_discover_tests(${layer}_test TEST_PREFIX "${prefix}" TEST_FILTER "-*/*" DISCOVERY_TIMEOUT 120
    PROPERTIES COST ${cost} ${properties})
  add_parameterised(${layer}_test "${tests}" "${properties}")
endfunction()

layer_tests(hash arcwise_core OpenSSL::Crypto ZLIB::ZLIB PkgConfig::XXHASH nlohmann_json::nlohmann_json)
layer_tests(model arcwise_core)
layer_tests(place arcwise_core nlohmann_json::nlohmann_json)
layer_tests(study arcwise_core nlohmann_json::nlohmann_json)
layer_tests(format arcwise nlohmann_json::nlohmann_json fmt::fmt)
layer_tests(cli arcwise_cli)
layer_tests(router arcwise_router fmt::fmt)
