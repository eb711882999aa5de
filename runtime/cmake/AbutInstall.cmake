# What is installed, in components that are named as the Debian packages that packages/ makes of them:
# libabut-dev, abut-tools, python3-abut, abut-preprocess. `cmake --install` without --component installs all.
include(GNUInstallDirs)

# abut_find_library(TARGET FOLDER): what is installed in FOLDER finds a shared libabut beside it, wherever the prefix is.
function(abut_find_library target folder)
  if(BUILD_SHARED_LIBS)
    include(GNUInstallDirs)  # its variables are those of the folder that asks
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${folder} OUTPUT_VARIABLE to)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${to}")
  endif()
endfunction()

# abut_install_command(TARGET COMPONENT): the program (built into bin/), its shell completion, and its pages of the manual, which are made
# of its own --help by the target `man` (needs help2man).
find_program(ABUT_HELP2MAN help2man DOC "Makes pages of the manual")
mark_as_advanced(ABUT_HELP2MAN)
if(NOT TARGET man)
  add_custom_target(man)
endif()
function(abut_install_command target component)
  include(GNUInstallDirs)  # its variables are those of the folder that asks
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  abut_find_library(${target} ${CMAKE_INSTALL_BINDIR})
  install(TARGETS ${target} COMPONENT ${component})
  install(FILES ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/completion.bash RENAME ${target} COMPONENT ${component}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  if(NOT ABUT_HELP2MAN)
    return()
  endif()
  set(pages ${CMAKE_CURRENT_BINARY_DIR}/man/${target})
  add_custom_command(OUTPUT ${pages}.stamp
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}> -DOUT=${pages} -DHELP2MAN=${ABUT_HELP2MAN}
            -DVERSION=${PROJECT_VERSION} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/make_man_pages.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${pages}.stamp
    DEPENDS ${target} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/make_man_pages.cmake
    COMMENT "Manual of ${target}" VERBATIM)
  add_custom_target(man-${target} DEPENDS ${pages}.stamp)
  add_dependencies(man man-${target})
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component} OPTIONAL)
endfunction()
