# BUILD/commit says what a build was made of: the commit, with "-changed" behind it where files differed from
# it, or "unknown" without git. Written each time when everything is built, after all else, so that what is
# older than it was made of that commit: tests/hpc/run.sh files results under no other one.

if(CMAKE_SCRIPT_MODE_FILE)
    set(commit unknown)
    execute_process(COMMAND git -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE head RESULT_VARIABLE failed
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND git -C ${SOURCE} status --porcelain OUTPUT_VARIABLE changes ERROR_QUIET)
    if(failed STREQUAL "0")
        set(commit ${head})
        if(changes)
            string(APPEND commit -changed)
        endif()
    endif()
    file(WRITE ${FILE} "${commit}\n")
    return()
endif()

# The targets of a folder and those below that `all` builds.
function(comshu_built_targets folder result)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    set(found)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        get_target_property(excluded ${target} EXCLUDE_FROM_ALL)
        if(NOT excluded AND NOT type STREQUAL "INTERFACE_LIBRARY")
            list(APPEND found ${target})
        endif()
    endforeach()
    foreach(subfolder IN LISTS subfolders)
        comshu_built_targets(${subfolder} more)
        list(APPEND found ${more})
    endforeach()
    set(${result} ${found} PARENT_SCOPE)
endfunction()

comshu_built_targets(${CMAKE_CURRENT_SOURCE_DIR} targets)
add_custom_target(comshu_commit ALL
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DFILE=${PROJECT_BINARY_DIR}/commit
        -P ${CMAKE_CURRENT_LIST_FILE}
    VERBATIM)
if(targets)
    add_dependencies(comshu_commit ${targets})
endif()
