#!/usr/bin/env python3
"""Fails where a kernel turns a number of 64 bits into one of 32 without a cast.

  narrowing.py --list PROGRAM [--jobs N] [GLOB]

Offsets of elements have 64 bits, and NVRTC does not warn where one is cut. clang reads each kernel source as the host sees it (device.hpp) with
-Wshorten-64-to-32: for the first and the last program of the source that PROGRAM (list_programs) prints, and in a plain run for one of them, by turns.
It compiles nothing. A planted fault must be found first. GLOB chooses sources. Exit 77 without clang.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
from tier import turn  # noqa: E402

KERNELS = HERE.parents[1] / 'kernels'
FLAGS = ['-x', 'c++', '-std=c++17', '-fsyntax-only', '-DADJ_SIMT', '-Wno-everything', '-Werror=shorten-64-to-32', f'-I{KERNELS}', f'-I{HERE}']
PLANTED = '#include "prelude/types.cuh"\nint cut(i64 offset) { return offset; }\n'


def unit(arch, source, entry, *defines):
    lines = [f'#define ADJ_ARCH {arch}', f'#define ADJ_ENTRY(parameter) {entry}(parameter)']
    lines += ['#define ' + define.replace('=', ' ', 1) for define in defines]
    return '\n'.join([*lines, f'#include "{source}"', ''])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--list', required=True)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('glob', nargs='?', default='*', metavar='GLOB')
    args = parser.parse_args()
    clang = shutil.which('clang++-19') or shutil.which('clang++')
    if not clang:
        print('clang is not installed')
        return 77

    with tempfile.TemporaryDirectory() as folder:
        tier = os.path.join(folder, 'tier')
        pathlib.Path(tier).write_text('all\n')
        printed = subprocess.run([args.list, tier], check=True, capture_output=True, text=True).stdout.splitlines()
    programs = {}
    for line in printed:
        arch, source, *rest = line.split('\t')
        if fnmatch.fnmatch(source, args.glob):
            programs.setdefault(source, []).append((arch, source, *rest))
    places = (0, -1) if args.glob != '*' or os.environ.get('ADJOINT_TEST') == 'all' else (-(turn() % 2),)
    units = sorted({unit(*members[i]) for members in programs.values() for i in places})

    def check(text):
        return subprocess.run([clang, *FLAGS, '-'], input=text, capture_output=True, text=True)

    if check(PLANTED).returncode == 0:
        sys.exit(f'{clang} does not find the planted fault')
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        faults = [done.stderr for done in pool.map(check, units) if done.returncode != 0]
    for text in dict.fromkeys(faults):
        print(text)
    missing = {path.relative_to(KERNELS).as_posix() for path in KERNELS.glob('*/*.cu')} - set(programs) if args.glob == '*' else set()
    if missing:
        print('no program of', ', '.join(sorted(missing)))
    print(f'{len(units)} programs of {len(programs)} sources, {len(faults)} with faults')
    return 1 if faults or missing else 0


if __name__ == '__main__':
    sys.exit(main())
