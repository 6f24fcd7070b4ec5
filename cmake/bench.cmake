# One program a benchmark: it prints ratios to a named peer measured in the same run (tools/bench_report.hpp).
file(GLOB benches CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/*_bench.cpp)
foreach(source ${benches})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tools)
  target_link_libraries(${name} PRIVATE arcwise_core fmt::fmt nlohmann_json::nlohmann_json)
endforeach()
