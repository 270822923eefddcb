# What every target of the project shares: language, warnings, sanitizers, output folders, and the
# two kinds of target that need more than add_library / add_executable.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(COMSHU_SANITIZE "" CACHE STRING "Sanitizers to build with, as given to -fsanitize=")

# A folder that is built again finds what was compiled before. The cache is not shared between folders
# (CCACHE_BASEDIR): debug information would name files of the other one.
option(COMSHU_CCACHE "Compile through ccache where it is installed" ON)
find_program(ccache NAMES ccache NO_CACHE)
if(COMSHU_CCACHE AND ccache)
    foreach(language IN ITEMS C CXX)
        if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
            set(CMAKE_${language}_COMPILER_LAUNCHER ${ccache})
        endif()
    endforeach()
endif()

# The build tree has the layout of an installed one: bin/comshu finds ../lib/comshu/*.so.
set(COMSHU_BIN_DIR ${PROJECT_BINARY_DIR}/bin)
set(COMSHU_LIB_DIR ${PROJECT_BINARY_DIR}/lib/comshu)

# Installed programs find libduckdb.so there; built ones find it where it was linked from. Folders that
# the site needs besides (a compiler's libstdc++) come behind; RUNPATH, so that LD_LIBRARY_PATH still
# comes before them.
set(COMSHU_INSTALL_RPATH_EXTRA "" CACHE STRING "Further folders (a;b) in which installed programs look for libraries")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib/comshu" ${COMSHU_INSTALL_RPATH_EXTRA})
add_link_options(-Wl,--enable-new-dtags)

# A second tree, built for another MPI or another device, adds its providers to an installed comshu:
# libqmpi-*.so and libcomshu_*.so without the engine, the command and what develops against them.
option(COMSHU_INSTALL_CORE "Install everything; OFF: the providers of this tree alone" ON)

add_compile_options(-Wall -Wextra -fno-omit-frame-pointer)
if(COMSHU_SANITIZE)
    # Copies of page-aligned layouts (core/live_layout.h) are read from ordinary memory.
    add_compile_options(-fsanitize=${COMSHU_SANITIZE} -fno-sanitize-recover=all -fno-sanitize=alignment)
    add_link_options(-fsanitize=${COMSHU_SANITIZE})
endif()

find_package(Threads REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/ComshuProvider.cmake)

# Sanitizer builds make only this: the test programs that carry the sanitizer's label, and what they
# run. A test other than comshu_unit_test() adds what it needs: add_dependencies(comshu_sanitized ...).
add_custom_target(comshu_sanitized)
if(COMSHU_SANITIZE STREQUAL "thread")
    set(COMSHU_SANITIZER_LABEL tsan)
elseif(COMSHU_SANITIZE STREQUAL "address,undefined")
    set(COMSHU_SANITIZER_LABEL asan)
else()
    set(COMSHU_SANITIZER_LABEL "")
endif()

# A shared object that is preloaded into programs we know nothing of: it needs libc alone, exports
# only what its version script names, and is never unloaded.
# CORE: not a provider or what one stands on (COMSHU_INSTALL_CORE).
#   comshu_preload_library(<target> OUTPUT <name> VERSION_SCRIPT <file> SOURCES <files>... [LIBS <targets>...]
#                          [CORE] [COMPONENT <of the installation>])
function(comshu_preload_library target)
    cmake_parse_arguments(arg "CORE" "OUTPUT;VERSION_SCRIPT;COMPONENT" "SOURCES;LIBS" ${ARGN})
    add_library(${target} SHARED ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE ${arg_LIBS})
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${arg_OUTPUT}
        LIBRARY_OUTPUT_DIRECTORY ${COMSHU_LIB_DIR})
    comshu_preload_settings(${target} ${arg_VERSION_SCRIPT})
    if(NOT arg_CORE OR COMSHU_INSTALL_CORE)
        if(arg_COMPONENT)
            set(component COMPONENT ${arg_COMPONENT})
        endif()
        install(TARGETS ${target} LIBRARY DESTINATION lib/comshu ${component})
    endif()
    # Read by tools/CMakeLists.txt, which checks what each of them needs and exports.
    set_property(GLOBAL APPEND PROPERTY COMSHU_PRELOAD_LIBRARIES ${target})
    set_target_properties(${target} PROPERTIES COMSHU_VERSION_SCRIPT ${arg_VERSION_SCRIPT})
endfunction()

# A GoogleTest program beside the code it tests. The labels asan and tsan say in which sanitizer
# build it runs too; long: only in `make test-long`.
#   comshu_unit_test(<name> SOURCES <files>... [LIBS <targets>...] [LABELS <labels>...])
function(comshu_unit_test name)
    if(NOT BUILD_TESTING)
        return()
    endif()
    cmake_parse_arguments(arg "" "" "SOURCES;LIBS;LABELS" ${ARGN})
    find_package(GTest REQUIRED)
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
    # What is compiled into a test alone need not be fast.
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "unit;${arg_LABELS}" TIMEOUT 300)
    if(COMSHU_SANITIZER_LABEL IN_LIST arg_LABELS)
        add_dependencies(comshu_sanitized ${name})
    endif()
endfunction()

# A libFuzzer target, `LLVMFuzzerTestOneInput` in SOURCES, started on the files in CORPUS. Built with
# the preset fuzz alone (clang); what a run adds is kept in the build folder.
#   comshu_fuzz_target(<name> SOURCES <files>... CORPUS <folder> [LIBS <targets>...])
set(COMSHU_FUZZ_SECONDS 5 CACHE STRING "How long the test of a fuzz target runs")
add_custom_target(comshu_fuzzers)
function(comshu_fuzz_target name)
    if(NOT COMSHU_SANITIZE MATCHES "fuzzer-no-link")
        return()
    endif()
    cmake_parse_arguments(arg "" "CORPUS" "SOURCES;LIBS" ${ARGN})
    add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LIBS})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(comshu_fuzzers ${name})
    set(found ${PROJECT_BINARY_DIR}/corpus/${name})
    file(MAKE_DIRECTORY ${found})
    add_test(NAME ${name} COMMAND ${name} -max_total_time=${COMSHU_FUZZ_SECONDS} -print_final_stats=1
             -timeout=10 -rss_limit_mb=2048 ${found} ${arg_CORPUS})
    math(EXPR limit "${COMSHU_FUZZ_SECONDS} + 120")
    set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT ${limit}
        WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()
