# The table that ends configure: what was found, and what is off without it.

message(STATUS "comshu ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")

function(comshu_summary_row name found)
    string(LENGTH "${name}" length)
    math(EXPR pad "22 - ${length}")
    string(REPEAT " " ${pad} spaces)
    message(STATUS "  ${name}${spaces}${found}")
endfunction()

if(COMSHU_SANITIZE)
    comshu_summary_row("sanitizers" "${COMSHU_SANITIZE}")
endif()

foreach(mpi IN ITEMS mpich openmpi)
    if(mpi IN_LIST COMSHU_MPIS)
        set(text "${COMSHU_MPI_${mpi}_CC}")
        if(mpi STREQUAL "mpich")
            execute_process(COMMAND ${COMSHU_MPI_${mpi}_EXEC} --version OUTPUT_VARIABLE out ERROR_QUIET)
            string(REGEX MATCH "Version: *([0-9][^ \n]*)" match "${out}")
        else()
            execute_process(COMMAND ${COMSHU_MPI_${mpi}_CC} --showme:version OUTPUT_VARIABLE out ERROR_VARIABLE out)
            string(REGEX MATCH "Open MPI ([0-9][^ \n]*)" match "${out}")
        endif()
        if(match)
            string(PREPEND text "${CMAKE_MATCH_1}, ")
        endif()
        if(NOT COMSHU_MPI_${mpi}_FC)
            string(APPEND text " (no Fortran wrapper: Fortran examples and tests are off)")
        endif()
        comshu_summary_row("MPI ${mpi}" "${text}")
    else()
        string(TOUPPER ${mpi} upper)
        comshu_summary_row("MPI ${mpi}" "no: programs of this MPI cannot be captured (package ${mpi}, or COMSHU_MPICC_${upper})")
    endif()
endforeach()

if(COMSHU_HAVE_DUCKDB)
    comshu_summary_row("DuckDB" "${COMSHU_DUCKDB_LIBRARY}")
else()
    comshu_summary_row("DuckDB" "no: reading captures (read, sql, export) is off (tools/setup.sh, or DUCKDB_ROOT)")
endif()

if(COMSHU_FLANG_FOUND)
    comshu_summary_row("LLVM Flang" "${COMSHU_LLVM_ROOT}")
else()
    comshu_summary_row("LLVM Flang" "no: instrumenting Fortran sources is off (libflang-19-dev, llvm-19-dev)")
endif()

# Names of the packages as find_package() and pkg-config know them: what each version is, or what is
# off without it.
find_package(PkgConfig QUIET)
foreach(row IN ITEMS
        "libdw|no: source lines are off (libdw-dev)"
        "libzstd|no: packing captures is off (libzstd-dev)"
        "flatbuffers|no: records cannot be built (libflatbuffers-dev, flatbuffers-compiler)"
        "fmt|no: the command is off (libfmt-dev)"
        "CLI11|no: the command is off (libcli11-dev)"
        "nlohmann_json|no: the command is off (nlohmann-json3-dev)"
        "benchmark|no: bench is off (libbenchmark-dev)"
        "gtest|no: unit tests are off (libgtest-dev, libgmock-dev)")
    string(REGEX MATCH "^([^|]+)\\|(.*)$" match "${row}")
    set(name "${CMAKE_MATCH_1}")
    set(without "${CMAKE_MATCH_2}")
    set(version "")
    if(PkgConfig_FOUND)
        execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --modversion ${name}
            OUTPUT_VARIABLE version ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
    if(NOT version)
        set(version "${without}")
    endif()
    comshu_summary_row("${name}" "${version}")
endforeach()

foreach(tool IN ITEMS
        "flatc|no: records cannot be built (flatbuffers-compiler)"
        "clang-format-14|no: the layout check is skipped (clang-format-14)"
        "clang++-14|no: fuzz targets are off (clang-14, libclang-rt-14-dev)"
        "eztrace|no: not in the benchmark tables (eztrace)"
        "lttng|no: not in the benchmark tables (lttng-tools, liblttng-ust-dev)")
    string(REGEX MATCH "^([^|]+)\\|(.*)$" match "${tool}")
    set(name "${CMAKE_MATCH_1}")
    set(without "${CMAKE_MATCH_2}")
    find_program(path NAMES ${name} NO_CACHE)
    if(NOT path)
        set(path "${without}")
    endif()
    comshu_summary_row("${name}" "${path}")
    unset(path)
endforeach()

foreach(provider IN ITEMS MPI)
    if(COMSHU_PROVIDER_${provider})
        set(text "on")
    else()
        set(text "off (COMSHU_PROVIDER_${provider})")
    endif()
    string(TOLOWER ${provider} name)
    comshu_summary_row("provider ${name}" "${text}")
endforeach()
