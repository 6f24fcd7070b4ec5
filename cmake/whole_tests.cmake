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
  set(tsan "")
  if(TARGET arcwised_tsan)
    set(tsan ";ARCWISED_TSAN=$<TARGET_FILE:arcwised_tsan>")
  endif()
  # The lock keeps the plain and the sanitized run of one script, which may use the same ports, apart. COST: the longest
  # tests start first, so that no processor waits for one of them at the end.
  set_tests_properties(${prefix}${name} PROPERTIES TIMEOUT 900 RESOURCE_LOCK ${name} COST 100
    ENVIRONMENT "ARCWISE=$<TARGET_FILE:arcwise_bin>;ARCWISED=$<TARGET_FILE:arcwised>;ARCWISE_SOURCE=${CMAKE_SOURCE_DIR};ARCWISE_BUILD=${CMAKE_BINARY_DIR}${tsan}")
endforeach()
