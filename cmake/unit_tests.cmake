# One test program a layer; each x_test.cpp of the layer is in it.
find_package(GTest REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
include(GoogleTest)
function(layer_tests layer)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${layer}/*_test.cpp)
  if(NOT tests)
    return()
  endif()
  add_executable(${layer}_test ${tests})
  target_include_directories(${layer}_test PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(${layer}_test PRIVATE
    ARCWISE_TESTDATA="${CMAKE_SOURCE_DIR}/testdata" ARCWISE_SOURCE="${CMAKE_SOURCE_DIR}"
    ARCWISE_BINARY="${CMAKE_BINARY_DIR}/bin/arcwise")
  target_link_libraries(${layer}_test PRIVATE ${ARGN} GTest::gtest_main GTest::gmock rapidcheck)
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # Its -Wconversion also speaks of signs, which GCC's does not; tests are held to GCC's.
    target_compile_options(${layer}_test PRIVATE -Wno-sign-conversion)
  endif()
  if(ARCWISE_SANITIZE AND layer MATCHES "^(model|format|cli)$")
    # Half of the time goes into compiling tests. These spend theirs in the library, which keeps its optimisation.
    target_compile_options(${layer}_test PRIVATE -O0)
  endif()
  # RC_PARAMS: property tests try the same cases on every run; start the program itself to try others.
  gtest_discover_tests(${layer}_test TEST_PREFIX "${prefix}" DISCOVERY_TIMEOUT 120
    PROPERTIES TIMEOUT 600 ENVIRONMENT "RC_PARAMS=seed=20240229")
endfunction()

layer_tests(hash arcwise_core OpenSSL::Crypto ZLIB::ZLIB PkgConfig::XXHASH nlohmann_json::nlohmann_json)
layer_tests(model arcwise_core)
layer_tests(place arcwise_core nlohmann_json::nlohmann_json)
layer_tests(study arcwise_core nlohmann_json::nlohmann_json)
layer_tests(format arcwise nlohmann_json::nlohmann_json fmt::fmt)
layer_tests(cli arcwise_cli)
