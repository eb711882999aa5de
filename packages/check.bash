#!/usr/bin/env bash
# Makes the packages, unpacks them side by side, and uses what is in them as their user would.
#   packages/check.bash SOURCE BUILD PYTHON
set -euo pipefail
source_dir=$1 build=$2 python=$3
root=$build/packages/check
fail() { echo "error: $*" >&2; exit 1; }

rm -rf "$root" "$build"/packages/*.deb
mkdir -p "$root"
cmake --build "$build" --target packages >/dev/null
version=$(<"$source_dir/runtime/VERSION")
for package in libabut-dev abut-tools abut-preprocess python3-abut; do
  file=$(echo "$build/packages/${package}_${version}_"*.deb)
  dpkg-deb --extract "$file" "$root/$package"
  dpkg-deb --extract "$file" "$root/all"
  [ "$(dpkg-deb --field "$file" Package Version)" = "Package: $package"$'\n'"Version: $version" ] || fail "$file: name, version"
  grep -q "Yann Collet" "$root/$package/usr/share/doc/$package/copyright" || fail "$file has no copyright of what is in it"
  [ "$(ls "$root/$package")" = usr ] || fail "$file has more than usr/: $(ls "$root/$package")"
  copyleft=$(dpkg-deb --field "$file" Depends | grep -oE 'lib(tet|cgal|gmp|mpfr)[^ ,]*' || true)
  case $package in
    abut-preprocess) grep -q libtet <<<"$copyleft" || fail "$file does not depend on TetGen" ;;
    *) [ -z "$copyleft" ] || fail "$file is permissive and depends on $copyleft" ;;
  esac
done
usr=$root/all/usr

echo "commands, their manual, their completion"
for command in abut-query abut-sim abut-datasets abut-preprocess; do
  [[ $("$usr/bin/$command" --version) == *"$version"* ]] || fail "$command --version"
  pages=("$command")
  while read -r subcommand; do pages+=("$command-$subcommand"); done < <(
    "$usr/bin/$command" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
  for page in "${pages[@]}"; do
    warnings=$(man --warnings=mac -E UTF-8 -l "$usr/share/man/man1/$page.1" 2>&1 >"$root/page")
    [ -z "$warnings" ] || fail "$page.1: $warnings"
    grep -q "^ *$page  *-  *[A-Z]" "$root/page" || fail "$page.1 is not of $page"
    grep -q -- '--help' "$root/page" || fail "$page.1 has no options"
  done
done
export PATH=$usr/bin:$PATH
for command in abut-query abut-sim abut-preprocess abut-datasets; do
  "$source_dir/tests/docs/completion_test.bash" "$usr/share/bash-completion/completions/$command" "$usr/bin"
done

echo "a program by pkg-config, and by CMake"
export PKG_CONFIG_PATH=$usr/lib/pkgconfig
[ "$(pkg-config --modversion abut)" = "$version" ] || fail "abut.pc: version"
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/!p}" "$source_dir/README.md"; }
block cpp >"$root/main.cpp"
# shellcheck disable=SC2046
g++ -std=c++20 "$root/main.cpp" $(pkg-config --cflags --libs abut) -o "$root/contact"
cat >"$root/cube.obj" <<'OBJ'
v 0 0 0
v 0.1 0 0
v 0 0.1 0
v 0.1 0.1 0
v 0 0 0.1
v 0.1 0 0.1
v 0 0.1 0.1
v 0.1 0.1 0.1
f 1 3 4 2
f 5 6 8 7
f 1 2 6 5
f 3 7 8 4
f 1 5 7 3
f 2 4 8 6
OBJ
abut-preprocess "$root/cube.obj" "$root/assets" --tets none --quads none --quiet
[[ $("$root/contact" "$root/assets/cube.h5" "$root/assets/cube.h5") == "distance 0.1 m; it grows by 1 m"* ]] ||
  fail "the README's program"
block cmake >"$root/CMakeLists.txt"
cmake -S "$root" -B "$root/build" -DCMAKE_PREFIX_PATH="$usr" >/dev/null
grep -q "^abut_DIR:PATH=$usr/" "$root/build/CMakeCache.txt" || fail "CMake found abut elsewhere"
cmake --build "$root/build" >/dev/null
"$root/build/contact" "$root/assets/cube.h5" "$root/assets/cube.h5" >/dev/null

echo "the Python modules"
PYTHONPATH=$usr/lib/python3/dist-packages "$python" -B - "$root" <<'PYTHON'
import sys
import abut, abut_preprocess
root = sys.argv[1]
assert abut.__file__.startswith(root) and abut_preprocess.__file__.startswith(root), abut.__file__
cube = abut.load(root + "/assets/cube.h5")
assert abs(abut.separation(cube, cube, [1, 0, 0, 0, 0.2, 0, 0]).distance - 0.1) < 1e-12
made = abut_preprocess.preprocess(root + "/cube.obj", root + "/more", tets="none", quads="none")
assert [object.name for object in made.objects] == ["cube"], made
PYTHON

echo "package.xml"
grep -q "<version>$version</version>" "$source_dir/runtime/package.xml" || fail "runtime/package.xml: version"
