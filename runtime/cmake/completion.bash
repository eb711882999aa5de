# Completion of Abut's commands for bash. The words are those of the command's own --help: subcommands, options, and
# the values of an option where its help has them: as {a,b,c}, as "one of a, b, c", as lines "a: ..." below "One of",
# as lines of a table whose head names the option, as (--what), or as lines "models: a, b" of a table for --model: those
# of the last row that the command line names, else all.

# Words of the help on standard input: subcommands, options, or the values of the option $2 on the command line $3.
_abut_words() {
  awk -v kind="$1" -v option="${2-}" -v line=" ${3-} " '
    /^[^ ]/ { table = "" }
    /^  [a-z]/ { row = $1 }
    kind == "values" && "--" $1 == option "s:" {
      sub(/^[^:]*: /, "")
      gsub(/, /, "\n")
      all = all $0 "\n"
      if (index(line, " " row " ")) named = $0
      next
    }
    /^Subcommands:/ { table = "subcommands" }
    option != "" && index($0, "(" option ")") { table = "values" }
    kind == table && /^  [a-z]/ { print $1 }
    kind == "options" && /^  -/ { gsub(/,/, "\n", $1); print $1 }
    /^ ? ?[^ ]/ { block = $1 }
    kind != "values" || block != option { next }
    match($0, /:[{][^}]*[}]/) {
      values = substr($0, RSTART + 2, RLENGTH - 3)
      gsub(/,/, "\n", values)
      print values
    }
    match($0, /[Oo]ne of [^;]*/) {
      values = substr($0, RSTART + 7, RLENGTH - 7)
      gsub(/, /, "\n", values)
      print values
    }
    /^   +[a-z]+: / { sub(/:/, "", $1); print $1 }
    END { printf "%s", named != "" ? named : all }' | awk '!seen[$0]++'
}

_abut() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local help subcommand='' words word
  help=$("$program" --help 2>/dev/null) || return
  for word in $(_abut_words subcommands <<<"$help"); do
    [ "$COMP_CWORD" -gt 1 ] && [ "${COMP_WORDS[1]}" = "$word" ] && subcommand=$word
  done
  [ -n "$subcommand" ] && help=$("$program" "$subcommand" --help 2>/dev/null)
  case $current in
    -*) words=$(_abut_words options <<<"$help") ;;
    *)
      words=$(_abut_words values "$previous" "${COMP_WORDS[*]}" <<<"$help")
      [ "$COMP_CWORD" -eq 1 ] && words+=" $(_abut_words subcommands <<<"$help")"
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _abut abut-query abut-sim abut-preprocess abut-datasets
