# The router once more, under ThreadSanitizer: tests/router_threads_test.py sends traffic through it. Only the router has
# threads; the library beneath it is taken as it is built for the other tests.
if(ARCWISE_SANITIZE OR NOT ARCWISE_TESTS)
  return()
endif()
add_executable(arcwised_tsan ${router_files} src/router/arcwised_main.cpp)
target_include_directories(arcwised_tsan PRIVATE ${CMAKE_SOURCE_DIR}/src)
get_target_property(router_libraries arcwise_router LINK_LIBRARIES)
target_link_libraries(arcwised_tsan PRIVATE ${router_libraries} fmt::fmt CLI11::CLI11)
# ThreadSanitizer does not know fences, and GCC warns where Boost's I/O uses one.
target_compile_options(arcwised_tsan PRIVATE -fsanitize=thread -O1 -g1 -Wno-tsan)
target_compile_definitions(arcwised_tsan PRIVATE ARCWISE_VERSION="${PROJECT_VERSION}")
target_link_options(arcwised_tsan PRIVATE -fsanitize=thread)
