#!/bin/sh
# Installs a build and uses the installation as strangers would: C and C++ programs through pkg-config (shared and
# static) and through CMake's find_package, built away from the source tree.
#   consumer_test.sh BUILD_DIR SOURCE_DIR [PKG_CONFIG [CMAKE]]
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
pkg_config=${3:-pkg-config}
cmake=${4:-cmake}
meson=${MESON:-meson}

work=$(mktemp -d "${TMPDIR:-/tmp}/adjoint_consumers_XXXXXX")
trap 'rm -rf "$work"' EXIT
step() { echo "== $*"; }
die() { echo "FAILED: $*" >&2; exit 1; }

step "install into a staging directory, then move it: nothing may remember where it was built"
DESTDIR="$work/stage" $meson install -C "$build" --no-rebuild --quiet
prefix=$($meson introspect "$build" --buildoptions | python3 -c '
import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
mv "$work/stage$prefix" "$work/installed"
pc=$(find "$work/installed" -name adjoint.pc)
[ -n "$pc" ] || die "no adjoint.pc was installed"
libdir=$(dirname "$(dirname "$pc")")
for file in "$work/installed/include/adjoint.h" "$libdir/libadjoint.so" "$libdir/libadjoint.a"; do
  [ -e "$file" ] || die "$file was not installed"
done
share=$work/installed/share
for file in "$share/doc/adjoint/LICENSE" "$share/doc/adjoint/examples/embedding_backward.c" "$share/man/man1/adjoint.1"; do
  [ -e "$file" ] || die "$file was not installed"
done
"$work/installed/bin/adjoint" ops | grep -q '^embedding_backward ' || die "bin/adjoint"
bash -c ". '$share/bash-completion/completions/adjoint'; COMP_WORDS=(adjoint sku ex); COMP_CWORD=2; _adjoint
  [ \"\${COMPREPLY[*]}\" = explain ]" || die "the bash completion"
# The pkg-config file finds the prefix from its own place.
export PKG_CONFIG_PATH="$(dirname "$pc")"
pc_flags() { "$pkg_config" "$@" adjoint; }
version=$(pc_flags --modversion)
define="-DCONSUMER_VERSION=\"$version\""

# Every header of the source tree is installed, byte for byte, and nothing of it points back to the source.
(cd "$source/include" && find . -type f) | while read -r header; do
  cmp "$source/include/$header" "$work/installed/include/$header" || die "$header differs or is missing"
done
for text in "$pc" "$libdir"/cmake/adjoint/*.cmake; do
  if grep -e "$source" -e "$build" "$text"; then die "$text names the source or build tree"; fi
done

mkdir "$work/project"
cp "$source"/tests/consumers/consumer.c "$source"/tests/consumers/consumer.cpp "$source"/tests/consumers/CMakeLists.txt "$work/project"
cd "$work/project"
warnings="-Wall -Wextra -Wpedantic -Werror"
CC=${CC:-cc}
CXX=${CXX:-c++}

check_no_source() { # the preprocessor's list of the files that a program was made of
  if "$@" -M | tr ' ' '\n' | grep -e "^$source/" -e "^$build/"; then die "a file of the source tree was used"; fi
}
check_no_source $CC -std=c99 $(pc_flags --cflags) "$define" consumer.c
check_no_source $CXX -std=c++20 $(pc_flags --cflags) "$define" consumer.cpp

step "pkg-config, shared"
# The program names the library by its soname only, which the run-time loader finds through the path given here.
$CC -std=c99 $warnings "$define" consumer.c $(pc_flags --cflags --libs) -o shared_c
$CXX -std=c++20 $warnings "$define" consumer.cpp $(pc_flags --cflags --libs) -o shared_cpp
for program in shared_c shared_cpp; do
  readelf -d $program | grep -q 'NEEDED.*libadjoint\.so\.1\]' || die "$program does not need libadjoint.so.1"
  LD_LIBRARY_PATH="$libdir" ./$program || die "$program"
done

step "pkg-config, static"
static_libs=$(pc_flags --static --libs | sed 's/-ladjoint/-l:libadjoint.a/')
$CC -std=c99 $warnings "$define" $(pc_flags --cflags) consumer.c $static_libs -o static_c
$CXX -std=c++20 $warnings "$define" $(pc_flags --cflags) consumer.cpp $static_libs -o static_cpp
for program in static_c static_cpp; do
  if readelf -d $program | grep 'NEEDED.*libadjoint'; then die "$program needs the shared library"; fi
  ./$program || die "$program"
done

step "the installed example"
$CC -std=c99 $warnings "$share/doc/adjoint/examples/embedding_backward.c" $(pc_flags --cflags --libs) -ldl -o example
LD_LIBRARY_PATH="$libdir" ./example || die "the example"

step "CMake"
"$cmake" -S . -B cmake-build -DCMAKE_PREFIX_PATH="$work/installed" \
  -DCMAKE_C_COMPILER="${CC%% *}" -DCMAKE_CXX_COMPILER="${CXX%% *}" >cmake.log 2>&1 ||
  { cat cmake.log; die "cmake"; }
"$cmake" --build cmake-build >>cmake.log 2>&1 || { cat cmake.log; die "cmake --build"; }
for program in adjoint_c adjoint_cpp adjoint_static_c adjoint_static_cpp; do
  ./cmake-build/$program || die "CMake's $program"
done
readelf -d cmake-build/adjoint_c | grep -q 'NEEDED.*libadjoint\.so\.1\]' || die "CMake's shared program does not need libadjoint.so.1"
if readelf -d cmake-build/adjoint_static_c | grep 'NEEDED.*libadjoint'; then die "CMake's static program needs the shared library"; fi
echo ok
