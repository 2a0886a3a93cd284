#!/usr/bin/env python3
"""The largest error of every operator and element type, beside its bound.

  datasheet.py host BUILD        the host backend against the same problems in f64: results/host.json, about two minutes
  datasheet.py gpu BUILD         every SKU on small cases and, of functions of one variable, on every 16-bit number and every f32 number:
                                 results/gpu.json and results/every_float.json; the latter needs torch
  datasheet.py write             results/datasheet.md from these; --picture FILE.svg draws it too

--out FOLDER takes another folder than results beside this file.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "bench"))
import records  # noqa: E402

TYPES = {"f16": "#d97706", "bf16": "#a855f7", "f32": "#3b82f6", "f64": "#22a55b"}


def measure_host(options):
    subprocess.run([options.build / "tests" / "datasheet_host", options.out / "host.json"], check=True)
    records.write(options.out / "host.json", load(options.out / "host.json"))
    return 0


def measure_gpu(options):
    test = options.build / "tests" / "gpu_test"
    report = options.out / "gpu.json"
    small = subprocess.run([test, "--quick", "--once", "--every", str(options.every), "--json", report], check=False).returncode
    if small == 77:
        return 77
    full = options.out / "gpu_every_number.json"
    numbers = subprocess.run([test, "--case", "every number", "--once", "--sku", "activation_*", "--json", full], check=False).returncode
    floats = subprocess.run([sys.executable, ROOT / "tests" / "gpu" / "every_float.py", "--json", options.out / "every_float.json"], check=False,
                            env=os.environ | {"ADJOINT_LIBRARY": str(options.build / "libadjoint.so.1")}).returncode
    keep(report, "device", "seed", "every", "accuracy")
    keep(full, "device", "seed", "every", "accuracy")
    keep(options.out / "every_float.json", "device", "rows")
    return 0 if small == numbers == 0 and floats in (0, 77) else 1


def keep(path, *names):
    """Of a report, what the table needs."""
    if path.exists():
        report = load(path)
        records.write(path, {name: report[name] for name in names})


def load(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def merged(*lists):
    """Rows by operator and type, the larger errors where several lists have one."""
    rows = {}
    for row in (row for rows_ in lists for row in rows_ or []):
        key = row["operator"], row["type"]
        if key in rows:
            wider = max(rows[key], row, key=lambda r: r["of_bound"])
            row = wider | {"ulp": max(rows[key]["ulp"], row["ulp"]), "runs": rows[key]["runs"] + row["runs"]}
        rows[key] = row
    return rows


def bound_text(row):
    parts = [f"{row[name]:.3g}{unit}" for name, unit in (("bound_ulp", " ulp"), ("bound_terms", " s"), ("bound_absolute", "")) if row[name]]
    return " + ".join(parts) or "equal bits"


def cells(row):
    return f"{row['ulp']:.3g} | {row['of_bound']:.3f} | {bound_text(row)}" if row else " | | "


def table(host, gpu, device, every, numbers, floats):
    on_gpu = "It has not been measured on a GPU yet."
    if gpu:
        cases = {1: "every case", 2: "every second case", 3: "every third case", 4: "every fourth case"}.get(every, f"every {every}th case")
        on_gpu = f"A GPU, here {device}, stands beside the host backend on {cases} of each SKU; its bound is that of the SKU with the largest share."
    keys = sorted(set(host) | set(gpu), key=lambda key: (key[0], list(TYPES).index(key[1]) if key[1] in TYPES else 9, key[1]))
    lines = ["# Datasheet", "",
             "The largest error seen, for each operator and the first of its element types, in units in the last place of the result; and the largest share of the",
             "bound, `bound_ulp * ulp + bound_terms * s + bound_absolute`, with s the sum of the magnitudes of the terms. Where terms cancel, an error of many units",
             "is a small share of the bound. The host backend stands beside the same problem in f64, with a bound of at least half a unit; its results of f64 are",
             "the reference. Operators whose definition rounds in between, such as optimizers, have no such problem. " + on_gpu,
             "", "The problems are the harness's cases: random, adversarial and special contents. On the host, activation functions and their gradients take every",
             "16-bit number" + (", on the GPU too." if numbers else "."), "",
             "| operator | type | host: ulp | of bound | bound | GPU: ulp | of bound | bound |", "| --- | --- | ---: | ---: | --- | ---: | ---: | --- |"]
    lines += [f"| {operator} | {type_} | {cells(host.get((operator, type_)))} | {cells(gpu.get((operator, type_)))} |" for operator, type_ in keys]
    if floats:
        lines += ["", f"Every f32 number, on {floats['device']}, beside formulas in f64:", "", "| operator | function | ulp | of bound | bound | wrong |",
                  "| --- | --- | ---: | ---: | --- | ---: |"]
        lines += [f"| {row['operator']} | {row['what']} | {row['ulp']:.3g} | {row['of_bound']:.3f} | {bound_text(row)} | {row['wrong']} |" for row in floats["rows"]]
    return "\n".join(lines) + "\n"


def plot(host, gpu, device):
    """One row an operator: the share of the bound, of the host hollow, of the GPU filled, by type."""
    operators = sorted({operator for operator, _ in [*host, *gpu]})
    left, top, row_height, width = 300, 46, 16, 900
    height = top + row_height * len(operators) + 40
    most = max([1.0] + [row["of_bound"] for row in [*host.values(), *gpu.values()]])
    x = lambda share: left + share / most * (width - left - 30)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           "<style>.page { fill: #fff } text { fill: #222 } .grid { stroke: #ddd } .limit { stroke: #c33; stroke-dasharray: 6 4 }",
           "@media (prefers-color-scheme: dark) { .page { fill: #0d1117 } text { fill: #ddd } .grid { stroke: #333 } .limit { stroke: #ff7b72 } }</style>",
           f'<rect class="page" width="{width}" height="{height}"/>',
           f'<text x="10" y="20" font-size="14">Largest error as a share of the stated bound: host (hollow){f", {device} (filled)" if gpu else ""}</text>']
    for index, (name, colour) in enumerate(TYPES.items()):
        out.append(f'<circle cx="{left + 60 * index}" cy="34" r="4" fill="{colour}"/><text x="{left + 8 + 60 * index}" y="38">{name}</text>')
    for index, operator in enumerate(operators):
        y = top + row_height * (index + 0.5)
        out.append(f'<line class="grid" x1="{left}" x2="{width - 30}" y1="{y}" y2="{y}"/><text x="{left - 8}" y="{y + 4}" text-anchor="end">{operator}</text>')
        for side, rows in (("host", host), ("GPU", gpu)):
            for name, colour in TYPES.items():
                if row := rows.get((operator, name)):
                    fill = f'fill="{colour}"' if side == "GPU" else f'fill="none" stroke="{colour}" stroke-width="1.5"'
                    out.append(f'<circle cx="{x(row["of_bound"]):.1f}" cy="{y}" r="4" {fill}><title>{operator} {name}, {side}: {row["ulp"]:.3g} ulp, {row["of_bound"]:.3f} of the bound</title></circle>')
    bottom = height - 36
    for share in (0, 0.25, 0.5, 0.75, 1):
        out.append(f'<text x="{x(share):.1f}" y="{bottom + 16}" text-anchor="middle">{share:g}</text>')
    out.append(f'<line class="limit" x1="{x(1):.1f}" x2="{x(1):.1f}" y1="{top}" y2="{bottom}"/></svg>')
    return "\n".join(out) + "\n"


def write(options):
    host, gpu = load(options.out / "host.json"), load(options.out / "gpu.json")
    numbers, floats = load(options.out / "gpu_every_number.json"), load(options.out / "every_float.json")
    if not host and not gpu:
        sys.exit("nothing is measured yet")
    device = gpu["device"] if gpu else ""
    hosts, gpus = merged(host), merged(gpu and gpu["accuracy"], numbers and numbers["accuracy"])
    (options.out / "datasheet.md").write_text(table(hosts, gpus, device, gpu and gpu["every"], numbers, floats), encoding="utf-8")
    if options.picture:
        options.picture.write_text(plot(hosts, gpus, device), encoding="utf-8")
    beyond = [key for rows in (hosts, gpus) for key, row in rows.items() if row["of_bound"] > 1]
    for key in beyond:
        print("beyond its bound:", *key)
    return 1 if beyond else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("host", "gpu", "write"):
        command = commands.add_parser(name)
        if name != "write":
            command.add_argument("build", type=pathlib.Path)
        command.add_argument("--out", type=pathlib.Path, default=HERE / "results")
        if name == "write":
            command.add_argument("--picture", type=pathlib.Path)
        if name == "gpu":
            command.add_argument("--every", type=int, default=1, help="every so many of the cases that apply to a SKU")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    return {"host": measure_host, "gpu": measure_gpu, "write": write}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
