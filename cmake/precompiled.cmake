# precompile(TARGET HEADER…): the headers that most sources of the target start with, read once instead of once a
# source. Worth it where few sources would go without them: clang loads of them what a source uses (a test file starts in
# 1 s instead of 5), GCC the whole (a small file takes 0.4 s instead of 1.2, but one that needs no JSON would lose by it).
# The presets that are built from nothing ask for it; others still see whether every source includes what it needs.
option(ARCWISE_PCH "precompile headers" OFF)
set(standard_headers <algorithm> <array> <charconv> <cmath> <cstdint> <cstdio> <functional> <map> <memory> <numeric>
    <optional> <set> <span> <string> <string_view> <utility> <vector>)
file(GLOB public_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/arcwise/*.hpp)
function(precompile target)
  if(ARCWISE_PCH)
    target_precompile_headers(${target} PRIVATE ${standard_headers} ${ARGN} ${public_headers})
  endif()
endfunction()
if(ARCWISE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  add_compile_options(-Xclang -fno-pch-timestamp)  # or ccache never finds the same file again
endif()
