# One test program a layer; each x_test.cpp of the layer is in it.
find_package(GTest REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
include(GoogleTest)
if(ARCWISE_SANITIZE)
  set(prefix "sanitized.")
endif()

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
  # RC_PARAMS: property tests try the same cases on every run; start the program itself to try others.
  gtest_discover_tests(${layer}_test TEST_PREFIX "${prefix}" DISCOVERY_TIMEOUT 120
    PROPERTIES TIMEOUT 600 ENVIRONMENT "RC_PARAMS=seed=20240229")
endfunction()

layer_tests(hash arcwise_core OpenSSL::Crypto ZLIB::ZLIB PkgConfig::XXHASH nlohmann_json::nlohmann_json)
layer_tests(model arcwise_core)
layer_tests(place arcwise_core nlohmann_json::nlohmann_json)
layer_tests(study arcwise_core)
layer_tests(format arcwise nlohmann_json::nlohmann_json fmt::fmt)
layer_tests(cli arcwise_cli)

# Whole programs: the built binary, real servers from Debian, the documents' own commands. A script that is slow, or
# that does not start the binary, stays out of the sanitized build by a line `# Plain build only: REASON`.
file(GLOB whole CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*_test.py)
foreach(script ${whole})
  get_filename_component(name ${script} NAME_WE)
  file(STRINGS ${script} plain_only REGEX "^# Plain build only: ")
  if(ARCWISE_SANITIZE AND plain_only)
    continue()
  endif()
  add_test(NAME ${prefix}${name} COMMAND /usr/bin/python3 ${script})
  # The lock keeps the plain and the sanitized run of one script, which may use the same ports, apart.
  set_tests_properties(${prefix}${name} PROPERTIES TIMEOUT 900 RESOURCE_LOCK ${name}
    ENVIRONMENT "ARCWISE=$<TARGET_FILE:arcwise_bin>;ARCWISE_SOURCE=${CMAKE_SOURCE_DIR};ARCWISE_BUILD=${CMAKE_BINARY_DIR}")
endforeach()
