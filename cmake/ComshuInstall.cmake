# What is installed besides programs and objects: what others build against. Every path follows from
# where a file lies ($ORIGIN, CMAKE_CURRENT_LIST_DIR, pcfiledir), so an installed tree may be moved.

if(NOT COMSHU_INSTALL_CORE)
    return()
endif()
include(CMakePackageConfigHelpers)

# The interface of programs that mark regions themselves: a header, and a source of a Fortran module.
add_library(comshu_interface INTERFACE)
add_library(comshu::comshu ALIAS comshu_interface)
target_include_directories(comshu_interface INTERFACE $<INSTALL_INTERFACE:include>)
set_target_properties(comshu_interface PROPERTIES EXPORT_NAME comshu)
if(EXISTS ${PROJECT_SOURCE_DIR}/include)
    target_include_directories(comshu_interface INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
    install(DIRECTORY include/ DESTINATION include)
endif()

install(DIRECTORY libcomshu/include/comshu schema/include/comshu ${PROJECT_BINARY_DIR}/schema/include/comshu
    DESTINATION include FILES_MATCHING PATTERN *.h)
file(GLOB schemas CONFIGURE_DEPENDS schema/*.fbs)
install(FILES ${schemas} schema/generate_provider_records.py DESTINATION share/comshu/schema)

install(TARGETS comshu_interface comshu_provider EXPORT comshu)
install(EXPORT comshu NAMESPACE comshu:: FILE comshuTargets.cmake DESTINATION lib/cmake/comshu)
configure_package_config_file(cmake/comshuConfig.cmake.in ${PROJECT_BINARY_DIR}/package/comshuConfig.cmake
    INSTALL_DESTINATION lib/cmake/comshu)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/comshuConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/package/comshuConfig.cmake
    ${PROJECT_BINARY_DIR}/package/comshuConfigVersion.cmake
    cmake/ComshuProvider.cmake
    DESTINATION lib/cmake/comshu)
configure_file(cmake/comshu.pc.in ${PROJECT_BINARY_DIR}/package/comshu.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/comshu.pc DESTINATION lib/pkgconfig)

file(GLOB pages CONFIGURE_DEPENDS docs/*.md docs/*.svg)
install(FILES ${pages} DESTINATION share/doc/comshu/docs)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/comshu)
install(DIRECTORY providers/template DESTINATION share/comshu)
