#!/usr/bin/env python3
"""Versions of NVRTC side by side: what they compile, what it needs, and whether it is right on a GPU.

  compilers.py compile BUILD LIBRARY... [--arch ARCH...] [--all]
  compilers.py run BUILD [--every N]
  compilers.py table BUILD

compile: compiles the programs of one SKU of each algorithm, for sm_80 and sm_100 a part of them (--all: every program), with each library, and writes
figures and a pack for sm_90a into BUILD/compilers. run: runs the packs there on a GPU, without NVRTC and without the disk cache. A SKU is held to its bound, and to equal bits where it
promises them. table: writes results/compilers.md beside this file from what the two have left. It fails where a program does not compile, where
local memory appears that the reference version does not need, and where a run on a GPU fails.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

REFERENCE = "13.0"
ARCHS = ("sm_80", "sm_90a", "sm_100")
DEVICE_ARCH = "sm_90a"  # of the packs
RESULTS = pathlib.Path(__file__).resolve().parent / "results" / "compilers.md"


def version_of(library):
    """12.4, from the name of the library of built-in functions that lies beside NVRTC."""
    names = [path.name.removeprefix("libnvrtc-builtins.so.") for path in library.parent.glob("libnvrtc-builtins.so.*")]
    if not names:
        sys.exit(f"{library.parent} has no libnvrtc-builtins.so.*")
    return ".".join(min(names, key=len).split(".")[:2])


def compile_all(options):
    """Compiles with each library; a figure file is there only where every program has been compiled."""
    folder = options.build / "compilers"
    folder.mkdir(exist_ok=True)
    failed = False
    for arch in options.arch:
        for library in options.libraries:
            name = version_of(library)
            stem = folder / f"{name}.{arch}"
            command = [options.build / "tests" / "nvrtc_test", "--arch", arch, "--figures", f"{stem}.tsv.new"]
            command += [] if options.all else ["--one-each"]
            command += ["--pack", f"{stem}.pack"] if arch == DEVICE_ARCH else []
            with open(f"{stem}.txt", "w", encoding="utf-8") as log:
                code = subprocess.run(command, env=os.environ | {"ADJOINT_LIBNVRTC": str(library)}, stdout=log, stderr=log, check=False).returncode
            print(f"NVRTC {name}, {arch}: {'compiled' if code == 0 else f'FAILED, see {stem}.txt'}", flush=True)
            failed |= code != 0
            if code == 0:
                os.replace(f"{stem}.tsv.new", f"{stem}.tsv")
    return 1 if failed else 0


def run_packs(options):
    packs = sorted((options.build / "compilers").glob(f"*.{DEVICE_ARCH}.pack"))
    if not packs:
        sys.exit("no packs: run compile first")
    failed = False
    for pack in packs:
        report = pack.with_suffix(".json")
        report.unlink(missing_ok=True)
        environment = os.environ | {"ADJOINT_PACK": str(pack), "ADJOINT_LIBNVRTC": "", "ADJOINT_CACHE_DIR": "", "ADJOINT_LOG": "warning"}
        command = [options.build / "tests" / "gpu_test", "--one-each", "--quick", "--every", str(options.every), "--json", report]
        with open(pack.with_suffix(".gpu.txt"), "w", encoding="utf-8") as log:
            code = subprocess.run(command, env=environment, stdout=log, stderr=log, check=False).returncode
        if code == 77:
            print("skipped: no CUDA device")
            return 77
        print(f"{pack.name}: {pack.with_suffix('.gpu.txt').read_text(encoding='utf-8').splitlines()[-1]}", flush=True)
        failed |= code != 0
    return 1 if failed else 0


def figures_of(path):
    """Registers, bytes of local memory and milliseconds, by program."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return {row[0]: (int(row[2]), int(row[3]), float(row[4])) for row in rows if row[2] != "PTX"}


def new_local_memory(figures, reference):
    """Programs with more local memory than the reference has."""
    return sorted(name for name, (_, local, _) in figures.items() if name in reference and local > reference[name][1])


def on_device(folder, name):
    """What the table says of the runs on a GPU, and whether they failed."""
    report = folder / f"{name}.{DEVICE_ARCH}.json"
    if not report.exists():
        return "not run", False
    result = json.loads(report.read_text(encoding="utf-8"))
    log = report.with_suffix(".gpu.txt")
    if log.exists() and "which the driver does not load" in log.read_text(encoding="utf-8"):
        return f"the driver of the {result['device']} does not load it", False
    runs, failures = sum(row["runs"] for row in result["table"]), len(result["failures"])
    return f"{runs} runs on {result['device']}, {failures} failed", failures > 0


def table(folder):
    """The lines of the table, and what is wrong."""
    lines, wrong, notes = [], [], []
    versions = sorted({path.name.rsplit(".sm_", 1)[0] for path in folder.glob("*.tsv")})
    found = collections.defaultdict(dict)
    for version in versions:
        for arch in ARCHS:
            path = folder / f"{version}.{arch}.tsv"
            if path.exists():
                found[version][arch] = figures_of(path)
    for version in versions:
        for arch in ARCHS:
            if arch not in found[version]:
                continue
            figures, reference = found[version][arch], found[REFERENCE].get(arch, {})
            if not figures:
                lines.append(f"| {version} | {arch} | PTX, which the driver compiles | | | | | | |")
                continue
            spilled = new_local_memory(figures, reference)
            wrong += [f"NVRTC {version}, {arch}: {name} has {figures[name][1]} bytes of local memory, {reference[name][1]} with {REFERENCE}" for name in spilled]
            device = ""
            if arch == DEVICE_ARCH:
                device, failed = on_device(folder, version)
                if failed:
                    wrong.append(f"NVRTC {version}: {device}")
            local = sum(1 for _, bytes_, _ in figures.values() if bytes_)
            most = max(registers for registers, _, _ in figures.values())
            more = sum(1 for name, (registers, _, _) in figures.items() if name in reference and registers > reference[name][0] + 8)
            lines.append(f"| {version} | {arch} | {len(figures)} | {sum(ms for _, _, ms in figures.values()) / 1e3:.0f} | {most} | {more} | {local} | {len(spilled)} | {device} |")
    notes += sorted({f"- {name}, {arch}, NVRTC {version}: {figures[name][1]} bytes" for version in versions for arch, figures in found[version].items()
                     for name in figures if figures[name][1]})
    return lines, wrong, notes


def write_table(options):
    lines, wrong, notes = table(options.build / "compilers")
    if not lines:
        sys.exit("no figures: run compile first")
    text = ["# Versions of NVRTC", "", "The programs of one SKU of each algorithm for sm_90a, and about a third of them for the other architectures, written by `tools/dev compilers`. Seconds",
            "are processor time. A version stands beside",
            f"{REFERENCE}, the reference: programs that need more than 8 registers more, programs with local memory, and those of them that have less in the reference.",
            "Packs of each version run on a GPU without NVRTC: a SKU is held to its bound, and to the bits of the host backend where it promises them.", "",
            "| NVRTC | architecture | programs | seconds | most registers | 8 more registers | with local memory | more of it | on a GPU |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |", *lines, ""]
    text += ["Local memory:", "", *notes] if notes else ["No program of this table has local memory."]
    text += ["", *([f"Against the reference: {what}." for what in wrong] or ["Nothing that is listed here is wrong, so `select` refuses no version."])]
    options.output.parent.mkdir(exist_ok=True)
    options.output.write_text("\n".join(text) + "\n", encoding="utf-8")
    for what in wrong:
        print("FAILED", what)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("compile", "run", "table"):
        command = commands.add_parser(name)
        command.add_argument("build", type=pathlib.Path)
        if name == "compile":
            command.add_argument("libraries", nargs="+", type=pathlib.Path, help="libnvrtc.so.12 or .13, with its builtins beside it")
            command.add_argument("--arch", nargs="+", default=ARCHS, choices=ARCHS)
            command.add_argument("--all", action="store_true", help="every SKU")
        elif name == "run":
            command.add_argument("--every", type=int, default=3, help="every so many of the cases that apply to a SKU")
        else:
            command.add_argument("--output", type=pathlib.Path, default=RESULTS)
    options = parser.parse_args()
    options.build = options.build.resolve()
    return {"compile": compile_all, "run": run_packs, "table": write_table}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
