# One program a benchmark: it prints ratios to a named peer measured in the same run (tools/bench_report.hpp). Tests run
# each once and small, where its answers are checked and its times mean nothing.
file(GLOB benches CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/*_bench.cpp)
foreach(source ${benches})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tools)
  target_link_libraries(${name} PRIVATE arcwise_core fmt::fmt nlohmann_json::nlohmann_json)
  if(ARCWISE_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)  # as tests
  endif()
  string(REGEX REPLACE "_bench$" "" subject ${name})
  add_test(NAME ${prefix}bench.${subject} COMMAND ${name} --smoke)
endforeach()

# Its rival is the library itself.
pkg_check_modules(LIBMEMCACHED REQUIRED IMPORTED_TARGET libmemcached)
target_link_libraries(recipes_bench PRIVATE PkgConfig::LIBMEMCACHED)

# Solves the linear program beside the allocator's figures.
find_library(GLPK glpk REQUIRED)
target_link_libraries(allocate_bench PRIVATE ${GLPK})
