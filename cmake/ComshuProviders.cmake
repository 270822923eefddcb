# Which providers are built: COMSHU_PROVIDER_<NAME>, ON where what it needs was found. Without
# -DCOMSHU_PROVIDER_<NAME>=ON|OFF it is decided anew at every configure.

# comshu_provider_option(<NAME> <found> <advice when it is asked for and not found>)
function(comshu_provider_option name found advice)
    if(NOT DEFINED COMSHU_PROVIDER_${name})
        set(COMSHU_PROVIDER_${name} ${found} PARENT_SCOPE)
    elseif(COMSHU_PROVIDER_${name} AND NOT found)
        message(FATAL_ERROR "COMSHU_PROVIDER_${name}=ON, but ${advice}")
    endif()
endfunction()

if(COMSHU_MPIS)
    set(found ON)
else()
    set(found OFF)
endif()
string(CONCAT advice
    "neither mpicc.mpich nor mpicc.openmpi was found: run tools/setup.sh, or give "
    "-DCOMSHU_MPICC_MPICH=... or -DCOMSHU_MPICC_OPENMPI=...")
comshu_provider_option(MPI ${found} ${advice})
