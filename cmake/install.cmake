# `make install`: headers, both libraries, the command with its man page and completions, documents, a CMake package
# (pliant::static, pliant::shared) and pliant.pc. `make package`: the same as a .deb.
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

set(PLIANT_DOC_DIR ${CMAKE_INSTALL_DATADIR}/doc/pliant)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${PLIANT_DOC_DIR})
install(DIRECTORY docs/ DESTINATION ${PLIANT_DOC_DIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg"
    PATTERN "*.json")
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/pliant)
install(FILES docs/scene.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/pliant)

# made of what the command's --help prints, so not where the command cannot run
if(UNIX AND NOT CMAKE_CROSSCOMPILING AND NOT PLIANT_SANITIZE)
    set(manual ${PROJECT_BINARY_DIR}/manual)
    add_custom_command(OUTPUT ${manual}/pliant.1 ${manual}/pliant.bash ${manual}/_pliant
        COMMAND bash ${PROJECT_SOURCE_DIR}/scripts/manual.sh $<TARGET_FILE:pliant> ${manual}
        DEPENDS pliant ${PROJECT_SOURCE_DIR}/scripts/manual.sh VERBATIM)
    add_custom_target(pliant_manual ALL DEPENDS ${manual}/pliant.1)
    install(FILES ${manual}/pliant.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${manual}/pliant.bash RENAME pliant
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${manual}/_pliant DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The pliant authors")
set(CPACK_PACKAGE_CONTACT "The pliant authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The pliant authors <pliant@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg, tetgen")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Multigrid simulation of deformable objects
 pliant simulates soft solids and cloth: one library, one command, one scene format.")
include(CPack)
