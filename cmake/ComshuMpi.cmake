# Finds the MPI libraries installed side by side. Debian names the wrappers mpicc.mpich and
# mpicc.openmpi; elsewhere give COMSHU_MPICC_MPICH / COMSHU_MPICC_OPENMPI.
#
# For each one found, in COMSHU_MPIS (names: mpich openmpi):
#   COMSHU_MPI_<name>_CC, _CXX, _FC, _EXEC   wrapper compilers and launcher
#   COMSHU_MPI_<name>_INCLUDES               include folders of mpi.h
#   target comshu_mpi_headers_<name>         INTERFACE target with these include folders

set(COMSHU_MPIS "")
foreach(mpi IN ITEMS mpich openmpi)
    string(TOUPPER ${mpi} upper)
    find_program(COMSHU_MPICC_${upper} NAMES mpicc.${mpi})
    find_program(COMSHU_MPICXX_${upper} NAMES mpicxx.${mpi})
    find_program(COMSHU_MPIFORT_${upper} NAMES mpifort.${mpi})
    find_program(COMSHU_MPIEXEC_${upper} NAMES mpiexec.${mpi} mpirun.${mpi})
    mark_as_advanced(COMSHU_MPICC_${upper} COMSHU_MPICXX_${upper} COMSHU_MPIFORT_${upper}
                     COMSHU_MPIEXEC_${upper})
    if(NOT COMSHU_MPICC_${upper})
        continue()
    endif()
    if(mpi STREQUAL "mpich")
        set(show -show)
    else()
        set(show --showme:compile)
    endif()
    execute_process(COMMAND ${COMSHU_MPICC_${upper}} ${show} OUTPUT_VARIABLE flags RESULT_VARIABLE rc
                    ERROR_VARIABLE error OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT rc EQUAL 0)
        message(STATUS "MPI ${mpi}: ${COMSHU_MPICC_${upper}} ${show} failed: ${error}")
        continue()
    endif()
    string(REGEX MATCHALL "-I *[^ ]+" includes "${flags}")
    list(TRANSFORM includes REPLACE "^-I *" "")
    list(APPEND COMSHU_MPIS ${mpi})
    set(COMSHU_MPI_${mpi}_CC ${COMSHU_MPICC_${upper}})
    set(COMSHU_MPI_${mpi}_CXX ${COMSHU_MPICXX_${upper}})
    set(COMSHU_MPI_${mpi}_FC ${COMSHU_MPIFORT_${upper}})
    set(COMSHU_MPI_${mpi}_EXEC ${COMSHU_MPIEXEC_${upper}})
    set(COMSHU_MPI_${mpi}_INCLUDES ${includes})
    add_library(comshu_mpi_headers_${mpi} INTERFACE)
    target_include_directories(comshu_mpi_headers_${mpi} SYSTEM INTERFACE ${includes})
    target_compile_definitions(comshu_mpi_headers_${mpi} INTERFACE
        MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX MPI_NO_CPPBIND)
endforeach()

# A test that starts ranks of an MPI: alone on the machine's cores (ranks that wait are spinning), and
# with what the two MPIs need where there is no user but root and no network.
#   comshu_mpi_test(<name> COMMAND <command>... [LABELS <labels>...] [ENVIRONMENT <name=value>...] [TIMEOUT <s>])
function(comshu_mpi_test name)
    cmake_parse_arguments(arg "" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT" ${ARGN})
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    add_test(NAME ${name} COMMAND ${arg_COMMAND})
    set_tests_properties(${name} PROPERTIES
        LABELS "mpi;${arg_LABELS}"
        TIMEOUT ${arg_TIMEOUT}
        RUN_SERIAL ON
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;UCX_NET_DEVICES=lo;${arg_ENVIRONMENT}")
endfunction()
