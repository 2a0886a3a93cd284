#!/usr/bin/env python3
"""Compiles kernels/*.cu with the host compiler into one static library, several programs to a translation unit.

The list of programs comes from a program (list_programs) or, for sources outside of the tables, from --program. Objects are kept in the work
folder under the hash of all their inputs, so that a change compiles only the units that it touches.
"""
import argparse
import concurrent.futures
import fcntl
import hashlib
import os
import pathlib
import re
import subprocess
import sys

PROGRAMS_PER_UNIT = 16
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
TESTED = re.compile(r'\bdefined\((ADJ_\w+)\)')
DEFINE = re.compile(r'^\s*#\s*define\s+(\w+)', re.M)

MODES = {
    # Every access calls a function of ours (hooks.cpp); the sanitizer's runtime is not linked.
    'checked': ['-fsanitize=thread'],
    'asan': ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
    # For coverage.py. Without optimisation, so that each line has a count of its own.
    'coverage': ['--coverage', '-O0'],
}
COMMON = ['-std=c++17', '-O1', '-g1', '-fPIC', '-fno-omit-frame-pointer', '-ffp-contract=off', '-fno-strict-aliasing', '-w', '-DADJ_SIMT']


def closure(name, folders, seen):
    """Texts of a source and of everything that it includes from the given folders."""
    for folder in folders:
        path = folder / name
        if path.exists():
            break
    else:
        sys.exit(f'{name}: not found')
    if path in seen:
        return
    text = path.read_text()
    seen[path] = text
    for included in INCLUDE.findall(text):
        closure(included, folders, seen)


# Names of the headers with #pragma once that a text includes, itself or by headers without.
def read_once(text, texts):
    for name in INCLUDE.findall(text):
        header = next((other for path, other in texts.items() if path.as_posix().endswith('/' + name)), '#pragma once')
        if name.endswith('.cu'):
            continue
        if '#pragma once' in header:
            yield name
        else:
            yield from read_once(header, texts)


def plant(path, folders, work):
    """Programs with one planted fault each, and the same programs without; in folders below `work`, numbered by the rows of a table."""
    programs = []
    rows = [row for row in path.read_text(encoding='utf-8').splitlines() if not row.startswith('#')]
    for number, row in enumerate(rows, 1):
        program, _, _, file, text, fault = row.split('\t')
        source, *rest = program.split(':')
        own, changed = ((folders[0] / name).read_text(encoding='utf-8') for name in (source, file))
        text, fault = (words.replace('\\n', '\n') for words in (text, fault))
        if changed.count(text) != 1:
            sys.exit(f'{path}: {file} has {changed.count(text)} times, and not once: {text}')
        changed = changed.replace(text, fault)
        if file != source:
            include = f'#include "{file}"'
            if own.count(include) != 1:
                sys.exit(f'{path}: {source} does not include {file}')
            changed = own.replace(include, changed.replace('#pragma once', ''))
        target = work / 'planted' / str(number) / source
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(changed, encoding='utf-8')
        programs += [('90', f'{number}/{source}', *rest), ('90', source, *rest)]
    return list(dict.fromkeys(programs))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--list', help='program that prints arch, source, entry and macros of what a file of tests/tier.py asks for')
    parser.add_argument('--tier', help='that file')
    parser.add_argument('--program', action='append', default=[], help='source:entry or source:entry:MACRO=..., instead of a list')
    parser.add_argument('--instead', nargs=2, metavar=('SOURCE', 'OTHER'), help='the table names the programs of OTHER by SOURCE')
    parser.add_argument('--planted', type=pathlib.Path, help='table of programs with planted faults, instead of a list')
    parser.add_argument('--include', action='append', default=[], type=pathlib.Path)
    parser.add_argument('--mode', choices=MODES, required=True)
    parser.add_argument('--work', required=True, type=pathlib.Path)
    parser.add_argument('--output', required=True)
    parser.add_argument('--keep', action='store_true', help='leaves objects of other programs in the work folder')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--cxx', nargs='+', required=True)
    args = parser.parse_args()

    if args.list:
        lines = subprocess.run([args.list, args.tier], check=True, capture_output=True, text=True).stdout.splitlines()
        programs = [tuple(line.split('\t')) for line in lines]
    else:
        programs = [('90', *text.split(':')) for text in args.program]

    folders = args.include
    if args.planted:
        programs += plant(args.planted, folders, args.work)
        folders = [*folders, args.work / 'planted']
    texts, units = {}, {}
    for arch, source, entry, *defines in programs:
        if source not in texts:
            texts[source] = {}
            closure(source, folders, texts[source])
        if not any('ADJ_ARCH' in text for text in texts[source].values()):
            arch = '0'
        # Headers with #pragma once are read once a unit, so the macros that they test with defined() are the same for all programs of a unit. The
        # others are read by each program.
        own = next(path for path in texts[source] if path.name == pathlib.Path(source).name)
        tested = {name for path, text in texts[source].items() if path != own and '#pragma once' in text for name in TESTED.findall(text)}
        shared = tuple(define for define in defines if define.partition('=')[0] in tested)
        members = units.setdefault((source, arch, shared), [])
        if (entry, *defines) not in members:
            members.append((entry, *defines))

    args.work.mkdir(parents=True, exist_ok=True)
    compiler = subprocess.run([*args.cxx, '--version'], capture_output=True, text=True).stdout
    plain = [*COMMON, *(f'-I{folder}' for folder in folders)]
    if 'clang' not in compiler:
        # Units differ in the macros that headers read, so that each must keep its own inline functions: the linker would take one for all.
        plain.append('-fno-weak')
    flags = [*plain, *MODES[args.mode]]
    jobs, rows, number = [], [], 0
    for (source, arch, shared), members in sorted(units.items()):
        own = next(text for path, text in texts[source].items() if path.name == pathlib.Path(source).name)
        includes = list(read_once(own, texts[source]))
        leaks = DEFINE.findall(own)
        for first in range(0, len(members), PROGRAMS_PER_UNIT):
            unit = ['#include "registry.hpp"'] + [f'#include "{name}"' for name in includes]
            if arch != '0':
                unit.insert(0, f'#define ADJ_ARCH {arch}')
            unit[:0] = ['#define {} {}'.format(*define.partition('=')[::2]) for define in shared]
            for entry, *defines in members[first:first + PROGRAMS_PER_UNIT]:
                number += 1
                # Named by content, so that a change elsewhere in the tables does not change the unit.
                symbol = 'k' + hashlib.sha256('\0'.join([source, arch, entry, *defines]).encode()).hexdigest()[:16]
                names = [define.partition('=')[0] for define in defines if define not in shared]
                unit += [f'#define {name} {value}' for name, _, value in (d.partition('=') for d in defines if d not in shared)]
                # The entry takes its parameters by reference: threads need no copy of their own, which may have 32 KB. The macro also
                # leaves a declaration by value, from which ParamsOf has the structure.
                name = f'{entry}_{symbol}'
                unit += [f'#define ADJ_ENTRY(parameter) {name}_by_value(parameter); void {name}(const simt::ParamsOf<decltype({name}_by_value)>::type& p)',
                         f'namespace {symbol} {{', f'#include "{source}"',
                         f'using Params = simt::ParamsOf<decltype({name}_by_value)>::type;', '}']
                unit += [f'#undef {name}' for name in ['ADJ_ENTRY', *names, *leaks]]
                unit += [f'void {symbol}_call(const void* params) {{ {symbol}::{name}(*static_cast<const {symbol}::Params*>(params)); }}',
                         f'extern const size_t {symbol}_bytes = sizeof({symbol}::Params);']
                named = args.instead[0] if args.instead and source == args.instead[1] else source
                rows.append((symbol, named, entry, ' '.join(defines), arch))
            text = '\n'.join(unit) + '\n'
            digest = hashlib.sha256('\0'.join([compiler, *args.cxx, *flags, text, *texts[source].values(),
                                               *((folder / 'registry.hpp').read_text() for folder in folders
                                                 if (folder / 'registry.hpp').exists())]).encode()).hexdigest()[:24]
            jobs.append((f'{pathlib.Path(source).stem}_{digest}', text, flags))
    table = ['#include "registry.hpp"']
    table += [f'void {symbol}_call(const void*);\nextern const size_t {symbol}_bytes;' for symbol, *_ in rows]
    # Sizes are not constant expressions here, so the rows are filled in at run time, before main.
    table += ['namespace simt {', f'extern const int kKernelCount = {len(rows)};', 'extern const Kernel kKernels[] = {']
    table += [f'  {{"{source}", "{entry}", "{defines}", {arch}, {symbol}_call, {symbol}_bytes}},' for symbol, source, entry, defines, arch in rows]
    table += ['  {nullptr, nullptr, nullptr, 0, nullptr, 0}};', '}']
    text = '\n'.join(table) + '\n'
    jobs.append(('table_' + hashlib.sha256((text + compiler + ' '.join(plain)).encode()).hexdigest()[:24], text, plain))

    def compile_unit(job):
        name, text, flags = job
        target = args.work / f'{name}.o'
        if target.exists():
            return target
        source = args.work / f'{name}.cpp'
        with open(source, 'a') as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # another process may be making the same object
            if target.exists():
                return target
            source.write_text(text)
            temporary = args.work / f'{name}.part.o'
            done = subprocess.run([*args.cxx, *flags, '-c', str(source), '-o', str(temporary)], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f'{source}:\n{done.stderr[:6000]}')
            if args.mode == 'checked':
                subprocess.run(['objcopy', '--redefine-sym', 'memcpy=adj_simt_memcpy', '--redefine-sym', 'memmove=adj_simt_memmove',
                                '--redefine-sym', 'memset=adj_simt_memset', str(temporary)], check=True)
            temporary.rename(target)
            return target

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = [pool.submit(compile_unit, job) for job in jobs]
        try:
            objects = [future.result() for future in futures]
        except RuntimeError as error:
            for future in futures:
                future.cancel()
            sys.exit(str(error))
    for stale in args.work.glob('*.o'):
        if stale not in objects and not args.keep:
            stale.unlink()
            for suffix in ('.cpp', '.part.gcno', '.part.gcda'):
                stale.with_suffix(suffix).unlink(missing_ok=True)
    pathlib.Path(args.output).unlink(missing_ok=True)
    subprocess.run(['ar', 'rcs', args.output, *map(str, objects)], check=True)
    print(f'{number} programs in {len(jobs) - 1} units')


if __name__ == '__main__':
    main()
