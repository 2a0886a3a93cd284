#!/bin/sh
# Installs a build and uses the installation as a user would: C and C++ programs through pkg-config (shared and static) and through CMake's
# find_package, built away from the source tree.
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
examples=$share/doc/adjoint/examples
for file in "$share/doc/adjoint/LICENSE" "$share/doc/adjoint/THIRD_PARTY_NOTICES" "$examples/embedding_backward.c" "$examples/training_step.cpp" "$examples/cuda_graph.cpp" \
  "$share/man/man1/adjoint.1" "$share/zsh/site-functions/_adjoint"; do
  [ -e "$file" ] || die "$file was not installed"
done
"$work/installed/bin/adjoint" ops | grep -q '^embedding_backward ' || die "bin/adjoint"
bash_completes() {  # LINE EXPECTED
  PATH="$work/installed/bin:$PATH" bash -c '. "$1/bash-completion/completions/adjoint"; COMP_LINE=$2 COMP_POINT=${#2}; _adjoint; echo "${COMPREPLY[*]}"' - "$share" "$1" |
    grep -qx -- "$2" || die "the bash completion of '$1'"
}
bash_completes 'adjoint sku ex' explain
bash_completes 'adjoint ops softmax_b' softmax_backward
bash_completes 'adjoint sku explain softmax_backward el' element=
bash_completes 'adjoint sku explain activation_backward element=bf' bf16
bash_completes 'adjoint bench adam numel=4 decay=la' last
bash_completes 'adjoint sku list --backend cud' cudnn
if command -v zsh >/dev/null; then
  zsh -fc "compadd() { print -r -- \${@:2} }; source '$share/zsh/site-functions/_adjoint'; words=('$work/installed/bin/adjoint' sku ex); CURRENT=3; _adjoint" |
    grep -qw explain || die "the zsh completion"
  zsh -fc "compadd() { print -r -- \${@:2} }; source '$share/zsh/site-functions/_adjoint'; words=('$work/installed/bin/adjoint' verify softmax_backward el); CURRENT=4; _adjoint" |
    grep -q element= || die "the zsh completion of a field"
fi
# The pkg-config file finds the prefix from its own place.
export PKG_CONFIG_PATH="$(dirname "$pc")"
pc_flags() { "$pkg_config" "$@" adjoint; }
version=$(pc_flags --modversion)
define="-DCONSUMER_VERSION=\"$version\""

# Every header of the source tree is installed, byte for byte, and no installed file points back to the source.
(cd "$source/include" && find . -name '*.h*') | while read -r header; do
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

step "the installed examples"
build_and_run() { # NAME COMMAND...
  name=$1
  shift
  "$@" -o "$name" || die "the example $name does not compile"
  LD_LIBRARY_PATH="$libdir" ./"$name" || die "the example $name"
}
build_and_run example_c $CC -std=c99 $warnings $(pc_flags --cflags) "$examples/embedding_backward.c" $(pc_flags --libs) -ldl
build_and_run example_cpp $CXX -std=c++20 $warnings $(pc_flags --cflags) "$examples/training_step.cpp" $(pc_flags --libs) -ldl
build_and_run example_static_c $CC -std=c99 $warnings $(pc_flags --cflags) "$examples/embedding_backward.c" $static_libs
build_and_run example_static_cpp $CXX -std=c++20 $warnings $(pc_flags --cflags) "$examples/training_step.cpp" $static_libs
for toolkit in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
  [ -e "$toolkit/include/cuda_runtime.h" ] || continue
  $CXX -std=c++20 $warnings $(pc_flags --cflags) -isystem "$toolkit/include" -fsyntax-only "$examples/cuda_graph.cpp" || die "the example with the CUDA runtime"
  break
done

step "an older C++"
if $CXX -std=c++17 $(pc_flags --cflags) -fsyntax-only -x c++ - 2>errors.txt <<'CPP'
#include <adjoint/adjoint.hpp>
int main() { return 0; }
CPP
then die "C++17 was accepted"; fi
grep -q 'adjoint.hpp needs C++20' errors.txt || { cat errors.txt; die "C++17: no sentence"; }
[ "$(grep -c 'error' errors.txt)" -le 2 ] || { cat errors.txt; die "C++17: more than one error"; }

step "CMake"
"$cmake" -S . -B cmake-build -DCMAKE_PREFIX_PATH="$work/installed" -DEXAMPLES="$examples" \
  -DCMAKE_C_COMPILER="${CC%% *}" -DCMAKE_CXX_COMPILER="${CXX%% *}" >cmake.log 2>&1 ||
  { cat cmake.log; die "cmake"; }
"$cmake" --build cmake-build >>cmake.log 2>&1 || { cat cmake.log; die "cmake --build"; }
for program in adjoint_c adjoint_cpp adjoint_embedding_backward adjoint_training_step adjoint_static_c adjoint_static_cpp \
  adjoint_static_embedding_backward adjoint_static_training_step; do
  ./cmake-build/$program || die "CMake's $program"
done
readelf -d cmake-build/adjoint_c | grep -q 'NEEDED.*libadjoint\.so\.1\]' || die "CMake's shared program does not need libadjoint.so.1"
if readelf -d cmake-build/adjoint_static_c | grep 'NEEDED.*libadjoint'; then die "CMake's static program needs the shared library"; fi
mkdir c-only
cat >c-only/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(c_only C)
find_package(adjoint 0.9 REQUIRED)
add_executable(c_only ../consumer.c)
target_compile_definitions(c_only PRIVATE CONSUMER_VERSION="${adjoint_VERSION}")
target_link_libraries(c_only PRIVATE adjoint::adjoint)
CMAKE
{ "$cmake" -S c-only -B c-only/build -DCMAKE_PREFIX_PATH="$work/installed" -DCMAKE_C_COMPILER="${CC%% *}" && "$cmake" --build c-only/build; } >cmake.log 2>&1 ||
  { cat cmake.log; die "a CMake project without C++"; }
./c-only/build/c_only || die "CMake's program of a project without C++"
echo ok
