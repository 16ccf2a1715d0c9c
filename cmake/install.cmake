# Installs the library, the program, the shipped robots and what find_package and ROS look for.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stiction)

# Found from wherever the tree is moved to; libraries outside the system's folders are found where they were linked from.
# CMake leaves out those inside the source tree, which is where scripts/setup.sh puts them.
file(RELATIVE_PATH bin_to_lib /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
list(TRANSFORM setup_prefix APPEND /lib OUTPUT_VARIABLE setup_libraries)
set_target_properties(stiction stiction_cli PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
set_target_properties(stiction PROPERTIES INSTALL_RPATH "$ORIGIN;${setup_libraries}")
set_target_properties(stiction_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib};${setup_libraries}")

install(TARGETS stiction EXPORT stictionTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS stiction_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/stiction DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT stictionTargets NAMESPACE stiction:: DESTINATION ${package_dir})
configure_package_config_file(cmake/stictionConfig.cmake.in stictionConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(stictionConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stictionConfig.cmake ${PROJECT_BINARY_DIR}/stictionConfigVersion.cmake
  DESTINATION ${package_dir})

# Shell completion where the shells look for it, and the man page.
install(FILES share/completions/stiction.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME stiction)
install(FILES share/completions/_stiction DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES share/completions/stiction.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES share/man/stiction.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# package.xml and an empty marker make `package://stiction/urdf/…` and ros2 tools find us (REP 122, ament index).
install(FILES ros2_ws/src/stiction/package.xml LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/stiction)
install(DIRECTORY urdf scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/stiction)
file(WRITE ${PROJECT_BINARY_DIR}/ament_index/stiction "")
install(FILES ${PROJECT_BINARY_DIR}/ament_index/stiction
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ament_index/resource_index/packages)
