# LLVM Flang's parser, with which Fortran sources are instrumented: COMSHU_FLANG_FOUND and target
# comshu_flang. Debian: libflang-19-dev and llvm-19-dev.

set(COMSHU_LLVM_ROOT "/usr/lib/llvm-19" CACHE PATH "Prefix of LLVM 19 with Flang's headers and libraries")
option(COMSHU_FORTRAN_INSTRUMENT "Build the Fortran instrumentor where LLVM Flang is found" ON)

set(COMSHU_FLANG_FOUND FALSE)
if(NOT COMSHU_FORTRAN_INSTRUMENT OR COMSHU_SANITIZE)
    return()
endif()
find_path(COMSHU_FLANG_INCLUDE flang/Parser/parsing.h
    PATHS ${COMSHU_LLVM_ROOT}/include NO_DEFAULT_PATH NO_CACHE)
foreach(library IN ITEMS FortranSemantics FortranEvaluate FortranParser FortranDecimal FortranCommon LLVM-19)
    find_library(COMSHU_${library} NAMES ${library}
        PATHS ${COMSHU_LLVM_ROOT}/lib NO_DEFAULT_PATH NO_CACHE)
    if(NOT COMSHU_${library})
        return()
    endif()
    list(APPEND COMSHU_FLANG_LIBRARIES ${COMSHU_${library}})
endforeach()
if(NOT COMSHU_FLANG_INCLUDE)
    return()
endif()
set(COMSHU_FLANG_FOUND TRUE)
add_library(comshu_flang INTERFACE)
target_include_directories(comshu_flang SYSTEM INTERFACE ${COMSHU_FLANG_INCLUDE})
target_compile_definitions(comshu_flang INTERFACE FLANG_LITTLE_ENDIAN=1)
target_link_libraries(comshu_flang INTERFACE ${COMSHU_FLANG_LIBRARIES})
