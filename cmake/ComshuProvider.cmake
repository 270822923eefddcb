# How a provider is built, in this tree and against an installed comshu alike (docs/providers.md).
#
#   comshu_add_provider(<name> EXPORTS <functions>... SOURCES <files>... [SCHEMA <file.fbs>] [LIBS <targets>...])
#
# makes the target comshu_provider_<name>, libcomshu_<name>.so. SCHEMA: records of its own; then its
# sources include "<name>_records.h" (the structs, their traits, and the binary schema as kSchema).

# A shared object that is preloaded into programs we know nothing of.
function(comshu_preload_settings target version_script)
    set_target_properties(${target} PROPERTIES
        CXX_STANDARD 20
        CXX_STANDARD_REQUIRED ON
        POSITION_INDEPENDENT_CODE ON
        CXX_VISIBILITY_PRESET hidden
        C_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON
        LINK_DEPENDS ${version_script}
        INSTALL_RPATH ""
        NO_SONAME ON)
    target_compile_options(${target} PRIVATE
        -ftls-model=initial-exec $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
    target_link_options(${target} PRIVATE
        -static-libgcc -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,-z,nodelete -Wl,-z,relro,-z,now
        -Wl,--as-needed -Wl,--version-script=${version_script})
    if(NOT COMSHU_SANITIZE)
        target_link_options(${target} PRIVATE -Wl,--gc-sections)
        target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
    endif()
endfunction()

# The header <name>_records.h from a schema, in a folder of its own.
function(comshu_provider_records target name schema)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    find_program(COMSHU_FLATC flatc REQUIRED)
    get_target_property(schemas comshu::provider COMSHU_SCHEMA_DIR)
    get_filename_component(schema ${schema} ABSOLUTE)
    get_filename_component(stem ${schema} NAME_WE)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}_records)
    add_custom_command(OUTPUT ${out}/${name}_records.h ${out}/${stem}_generated.h ${out}/${stem}.bfbs
        COMMAND ${COMSHU_FLATC} --cpp --scoped-enums --gen-mutable --include-prefix comshu/schema
                -o ${out} -I ${schemas} ${schema}
        COMMAND ${COMSHU_FLATC} --schema -b --bfbs-comments -o ${out} -I ${schemas} ${schema}
        COMMAND ${Python3_EXECUTABLE} -B ${schemas}/generate_provider_records.py
                ${out}/${name}_records.h ${schema} ${out}/${stem}.bfbs
        DEPENDS ${schema} ${schemas}/generate_provider_records.py ${schemas}/core.fbs
        COMMENT "Records of provider ${name}"
        VERBATIM)
    target_sources(${target} PRIVATE ${out}/${name}_records.h)
    target_include_directories(${target} SYSTEM PRIVATE ${out})
endfunction()

function(comshu_add_provider name)
    cmake_parse_arguments(arg "" "SCHEMA" "EXPORTS;SOURCES;LIBS" ${ARGN})
    set(target comshu_provider_${name})
    set(script ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
    list(JOIN arg_EXPORTS "; " exports)
    file(CONFIGURE OUTPUT ${script} CONTENT "{ global: comshu_export; ${exports}; local: *; };\n" @ONLY)
    add_library(${target} SHARED ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME comshu_${name} COMSHU_VERSION_SCRIPT ${script})
    comshu_preload_settings(${target} ${script})
    # The template in comshu's own tree is not for users.
    if(PROJECT_IS_TOP_LEVEL)
        install(TARGETS ${target} LIBRARY DESTINATION lib/comshu)
    endif()
    target_link_libraries(${target} PRIVATE comshu::provider ${arg_LIBS})
    if(TARGET comshu_schema)
        add_dependencies(${target} comshu_schema)
    endif()
    if(arg_SCHEMA)
        comshu_provider_records(${target} ${name} ${arg_SCHEMA})
    endif()
endfunction()
