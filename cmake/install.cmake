# cmake --install: both libraries with their headers, the programs, and what find_package() and pkg-config ask for.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/arcwise)

install(TARGETS arcwise_bin arcwised)
install(TARGETS arcwise arcwise_core EXPORT arcwise)
install(DIRECTORY include/arcwise TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(EXPORT arcwise NAMESPACE arcwise:: FILE arcwiseTargets.cmake DESTINATION ${package_dir})

configure_package_config_file(cmake/arcwiseConfig.cmake.in ${CMAKE_BINARY_DIR}/package/arcwiseConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/arcwiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/arcwiseConfig.cmake ${CMAKE_BINARY_DIR}/package/arcwiseConfigVersion.cmake
        DESTINATION ${package_dir})

# The prefix is wherever the file is found: an installed tree may be moved.
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/arcwise.pc.in ${CMAKE_BINARY_DIR}/package/arcwise.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/arcwise.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
