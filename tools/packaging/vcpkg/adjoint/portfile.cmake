# `vcpkg install adjoint --overlay-ports=tools/packaging/vcpkg` in a checkout builds the checkout. A port of a registry has vcpkg_from_github in place of the
# first command.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES tools ADJOINT_TOOLS)
if(ADJOINT_TOOLS)
  set(tools true)
else()
  set(tools false)
endif()

# VCPKG_LIBRARY_LINKAGE decides which kind of library is made; vcpkg_configure_meson passes it as default_library.
vcpkg_configure_meson(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -Dtests=false -Dtools=${tools})
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/adjoint)
if(ADJOINT_TOOLS)
  vcpkg_copy_tools(TOOL_NAMES adjoint AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/tools/packaging/THIRD_PARTY_NOTICES")
