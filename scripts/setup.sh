# Sourced by the other scripts: goes to the project's root and installs the Debian packages that are missing.
# Usage: source "$(dirname "$0")/setup.sh"; need_packages "${build_packages[@]}"

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build_packages=(
  g++ cmake ninja-build ccache
  libeigen3-dev libhdf5-dev libxxhash-dev                  # the runtime
  liburdfdom-dev libconsole-bridge-dev                     # its reader of URDF, optional
  libcli11-dev libfmt-dev nlohmann-json3-dev libpng-dev libtinyxml-dev    # the commands
  libcurl4-openssl-dev libarchive-dev libssl-dev zlib1g-dev # abut-datasets alone
  libcgal-dev libtet1.5-dev                                # the pipeline: GPL and AGPL, see the README
  libassimp-dev libpugixml-dev                             # its readers of COLLADA and glTF
  libgtest-dev libbenchmark-dev
  libfcl-dev libmujoco-dev libbullet-dev                   # benchmarks alone: the peers they compare with
  libsiconos-numerics-dev liborocos-kdl-dev                # tests alone: oracles of contact problems, of trees
)
test_packages=(
  libsdformat-dev                                          # reads exported SDFormat
  chromium                                                 # opens the pages of reports
  snakemake                                                # runs datasets in shards
)
package_packages=(dpkg-dev file help2man man-db pkgconf)   # Debian packages, and their test
site_packages=(doxygen mkdocs)                              # the documentation as web pages
python_packages=(
  pybind11-dev python3-dev python3-numpy                   # the Python module
  python3-venv python3-setuptools python3-wheel make       # its wheel
  python3-torch                                            # tests alone: gradients (1 GB)
)

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "error: cannot run as root: '$*'; run it yourself, then start again" >&2
    exit 1
  fi
}

# need_packages NAME...: installs those that are not installed; asks the network only when one is missing.
need_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "installing ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# configure_and_build PRESET [TARGET...]: what ccache has compiled before is not compiled again.
configure_and_build() {
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_C_COMPILER_LAUNCHER=ccache
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime  # precompiled headers
  local preset=$1
  shift
  local log
  log=$(mktemp)
  cmake --preset "$preset" >"$log" 2>&1 || { cat "$log"; rm -f "$log"; exit 1; }
  rm -f "$log"
  cmake --build --preset "$preset" ${1:+--target "$@"}
}
