# `make install`: headers, both libraries, the command, a CMake package (pliant::static, pliant::shared) and pliant.pc.
include(CMakePackageConfigHelpers)
install(TARGETS pliant_static pliant_shared EXPORT pliant
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS pliant RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT pliant NAMESPACE pliant:: FILE pliant-targets.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
configure_package_config_file(cmake/pliant-config.cmake.in ${PROJECT_BINARY_DIR}/pliant-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pliant-config-version.cmake
    COMPATIBILITY SameMajorVersion)
# relative, so that `cmake --install --prefix` and moved folders work
file(RELATIVE_PATH PLIANT_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/pliant.pc.in ${PROJECT_BINARY_DIR}/pliant.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pliant-config.cmake ${PROJECT_BINARY_DIR}/pliant-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
install(FILES ${PROJECT_BINARY_DIR}/pliant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
