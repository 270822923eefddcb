# DuckDB through its C interface: target comshu_duckdb, and COMSHU_HAVE_DUCKDB, COMSHU_DUCKDB_LIBRARY.
#
# Debian has no package of it. tools/setup.sh takes libduckdb.so from an npm package and duckdb.h
# out of another one of the same version; -DDUCKDB_ROOT=PREFIX prefers an installed DuckDB.
# What is built finds the library where it lies; an installed comshu finds it in lib/comshu.

set(DUCKDB_ROOT "" CACHE PATH "Prefix of an installed DuckDB (include/duckdb.h, lib/libduckdb.so)")

if(DUCKDB_ROOT)
    set(header_hints ${DUCKDB_ROOT} ${DUCKDB_ROOT}/include)
    set(library_hints ${DUCKDB_ROOT} ${DUCKDB_ROOT}/lib ${DUCKDB_ROOT}/lib64)
else()
    set(header_hints ${PROJECT_SOURCE_DIR}/.cache/duckdb/include)
    set(library_hints ${PROJECT_SOURCE_DIR}/node_modules/@duckdb/node-bindings-linux-x64)
endif()
find_path(COMSHU_DUCKDB_INCLUDE duckdb.h PATHS ${header_hints} NO_DEFAULT_PATH NO_CACHE)
find_library(COMSHU_DUCKDB_LIBRARY NAMES duckdb PATHS ${library_hints} NO_DEFAULT_PATH NO_CACHE)

if(COMSHU_DUCKDB_INCLUDE AND COMSHU_DUCKDB_LIBRARY)
    set(COMSHU_HAVE_DUCKDB TRUE)
    add_library(comshu_duckdb SHARED IMPORTED GLOBAL)
    set_target_properties(comshu_duckdb PROPERTIES
        IMPORTED_LOCATION ${COMSHU_DUCKDB_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${COMSHU_DUCKDB_INCLUDE})
    if(COMSHU_INSTALL_CORE)
        install(FILES ${COMSHU_DUCKDB_LIBRARY} DESTINATION lib/comshu)
    endif()
else()
    set(COMSHU_HAVE_DUCKDB FALSE)
    if(DUCKDB_ROOT)
        message(WARNING "No duckdb.h and libduckdb.so under DUCKDB_ROOT=${DUCKDB_ROOT}: "
                        "what reads captures is not built. Correct it, or leave it empty and run "
                        "tools/setup.sh.")
    else()
        message(WARNING "DuckDB is not there: what reads captures is not built. "
                        "Run tools/setup.sh (it fetches DuckDB), or give -DDUCKDB_ROOT=PREFIX, "
                        "then configure again.")
    endif()
endif()
