# cmake -DPROGRAM=<file> -DOUT=<folder, made anew> -DHELP2MAN=... -DVERSION=... -P make_man_pages.cmake
# Pages of the manual of a program and of its subcommands, PROGRAM.1 and PROGRAM-SUBCOMMAND.1, from what its --help says.
cmake_path(GET PROGRAM FILENAME name)

function(make_page page help)
  execute_process(COMMAND ${PROGRAM} ${ARGN} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(FIND "${text}" "\nUsage:" end)
  string(SUBSTRING "${text}" 0 ${end} purpose)
  string(REPLACE "\n" " " purpose "${purpose}")
  string(REGEX REPLACE "[.]$" "" purpose "${purpose}")
  set(file ${OUT}/${page}.1)
  execute_process(COMMAND ${HELP2MAN} --no-info --version-string=${VERSION} "--name=${purpose}" "--help-option=${help}"
                          --output=${file} ${PROGRAM}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${file} text)
  string(TOUPPER ${name} upper_name)
  string(TOUPPER ${page} upper_page)
  string(REPLACE ".TH ${upper_name} " ".TH ${upper_page} " text "${text}")
  string(REPLACE "\n${name} \\- " "\n${page} \\- " text "${text}")
  string(REPLACE "\\fB\\-h\\fR,\\-\\-help" "\\fB\\-h\\fR, \\fB\\-\\-help\\fR" text "${text}")
  file(WRITE ${file} "${text}")
endfunction()

file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})
make_page(${name} --help)
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "\nSubcommands:\n(  [^\n]*\n)*" subcommands "${help}")
string(REGEX MATCHALL "\n  [a-z][a-z-]*" subcommands "${subcommands}")
list(TRANSFORM subcommands STRIP)
foreach(subcommand ${subcommands})
  make_page(${name}-${subcommand} "${subcommand} --help" ${subcommand})
endforeach()
