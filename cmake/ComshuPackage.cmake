# A Debian package: cpack -G DEB in the build folder.

file(STRINGS LICENSE first LIMIT_COUNT 1)
if(NOT first MATCHES "^License: *(.+)$")
    message(FATAL_ERROR "LICENSE: its first line has to be `License: NAME`; packages take it from there")
endif()
set(license ${CMAKE_MATCH_1})
file(READ LICENSE text)
# Debian's machine-readable form: continued lines are indented, empty ones are a dot.
string(FIND "${text}" "\n" first_end)
string(SUBSTRING "${text}" ${first_end} -1 text)
string(STRIP "${text}" text)
string(REGEX REPLACE "\n\n" "\n.\n" text "${text}")
string(REPLACE "\n" "\n " text "${text}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/copyright @ONLY CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: comshu

Files: *
Copyright: the owner of comshu
License: @license@
 @text@
")
if(COMSHU_INSTALL_CORE)
    install(FILES ${PROJECT_BINARY_DIR}/package/copyright DESTINATION share/doc/comshu)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME comshu)
set(CPACK_PACKAGE_VENDOR comshu)
set(CPACK_PACKAGE_CONTACT "the owner of comshu <comshu@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# What the command needs, by its libraries; the preloaded objects need libc alone. An MPI is the
# user's choice.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${COMSHU_LIB_DIR})
if(COMSHU_DUCKDB_LIBRARY)
    get_filename_component(duckdb_folder ${COMSHU_DUCKDB_LIBRARY} DIRECTORY)
    list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${duckdb_folder})
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "mpich | openmpi-bin")
include(CPack)
