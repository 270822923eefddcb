# find_package(qmpi): for each MPI whose layer is installed, qmpi::tool_<mpi> is what a tool is compiled
# against, and qmpi::<mpi> the layer itself, for programs that are linked to it before the MPI. <mpi> is
# mpich or openmpi; the MPI's own headers are not part of it.
get_filename_component(_qmpi_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
foreach(_qmpi_mpi IN ITEMS mpich openmpi)
    set(_qmpi_layer ${_qmpi_prefix}/lib/comshu/libqmpi-${_qmpi_mpi}.so)
    if(TARGET qmpi::${_qmpi_mpi} OR NOT EXISTS ${_qmpi_layer})
        continue()
    endif()
    add_library(qmpi::tool_${_qmpi_mpi} INTERFACE IMPORTED)
    target_include_directories(qmpi::tool_${_qmpi_mpi} INTERFACE
        ${_qmpi_prefix}/include/qmpi ${_qmpi_prefix}/include/qmpi/${_qmpi_mpi})
    set(_qmpi_library mpich)
    if(NOT _qmpi_mpi STREQUAL mpich)
        # MPICH's mpi.h declares the interface by itself.
        target_compile_options(qmpi::tool_${_qmpi_mpi} INTERFACE
            "$<$<COMPILE_LANGUAGE:C,CXX>:SHELL:-include qmpi.h>")
        set(_qmpi_library mpi)
    endif()
    add_library(qmpi::${_qmpi_mpi} SHARED IMPORTED)
    set_target_properties(qmpi::${_qmpi_mpi} PROPERTIES IMPORTED_LOCATION ${_qmpi_layer})
    # No program refers to the MPI itself any more; it is needed all the same.
    target_link_libraries(qmpi::${_qmpi_mpi} INTERFACE qmpi::tool_${_qmpi_mpi}
        -Wl,--push-state,--no-as-needed -l${_qmpi_library} -Wl,--pop-state)
endforeach()
