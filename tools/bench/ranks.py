"""Trains with tools/gpt on one and on two GPUs of one machine, in one run: ranks.py OUTPUT [--gpt PROGRAM] [--collectives PROGRAM] [--steps N]

Measures tokens a second of two ranks beside one, with the same batch on each rank; compares the losses of two ranks with those of one rank that takes both batches;
compares the hashes of the weights of both ranks and of two runs; kills one of two processes, and stalls one of two threads, and takes the time until the
other ends; and measures collectives beside raw calls of NCCL (tests/gpu/collective.cpp). Writes OUTPUT.json and OUTPUT.md."""
import argparse
import json
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import files
import records
import wheels

CASES = {"GPT-2 124M, 64 x 1024 a rank": (["--model", "gpt2", "--size", "124M", "--batch", "64"], 1.9),
         "Llama 1.2 G, 4 x 4096 a rank": (["--model", "llama", "--size", "1.2B", "--batch", "4"], 1.85)}
STEPS_OF_LOSSES, PATIENCE, AIM_OF_COLLECTIVES = 100, 10, 0.98


class Training:
    def __init__(self, program, directory):
        self.program, self.directory = program, pathlib.Path(directory)
        self.environment = wheels.environment()

    def start(self, *words):
        command = [self.program, "--data", "formula", "--warmup", "700", "--lr", "6e-4", "--beta2", "0.95", "--out", self.directory / "curve", *words]
        return subprocess.Popen(list(map(str, command)), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *words):
        process = self.start(*words)
        out, error = process.communicate(timeout=300)
        if process.returncode:
            raise SystemExit(f"{words}: {process.returncode}\n{out}{error}")
        return out, json.loads((self.directory / "curve.json").read_text())


def speeds(training, steps):
    rows = []
    for name, (words, aim) in CASES.items():
        words = [*words, "--steps", steps, "--tune"]
        _, one = training.run(*words)  # keeps the verdicts of --tune, which all ranks then read
        runs = [training.run(*words, "--ranks", 2, "--print-hash") for _ in range(2)]
        hashes = [re.findall(r"^hash +(\w+)", out, re.M) for out, _ in runs]
        if len(set(map(tuple, hashes))) != 1 or hashes[0][0] != hashes[0][1]:
            raise SystemExit(f"{name}: hashes of two runs, of rank 0, rank 1 and the master weights: {hashes}")
        two = runs[1][1]
        rows.append({"name": name, "one_ms": one["milliseconds"], "two_ms": two["milliseconds"], "one_tokens_s": one["tokens_a_step"] / one["milliseconds"] * 1e3,
                     "two_tokens_s": two["tokens_a_step"] / two["milliseconds"] * 1e3, "aim": aim, "hashes": hashes[0], "one_bytes": one["bytes"], "two_bytes": two["bytes"]})
        rows[-1]["ratio"] = rows[-1]["two_tokens_s"] / rows[-1]["one_tokens_s"]
        print(rows[-1], flush=True)
    return rows


def losses(training):
    """Losses of two ranks beside those of one that takes both batches. Without clipping they have the same bits; a clipped gradient depends on its norm, which ranks add
    in another order, and differences of rounding grow."""
    found = {"steps": STEPS_OF_LOSSES}
    for name, clip in (("unclipped", 1e9), ("clipped", 1)):
        words = ["--model", "gpt2", "--size", "124M", "--batch", "32", "--steps", STEPS_OF_LOSSES, "--print-losses", "--clip", clip]
        one, two = ([float(x) for x in re.findall(r"^loss \d+ (\S+)$", training.run(*words, *how)[0], re.M)] for how in (["--accumulate", 2], ["--ranks", 2]))
        assert len(one) == len(two) == STEPS_OF_LOSSES
        found[name] = {"largest": max(abs(a - b) for a, b in zip(one, two)), "last": [one[-1], two[-1]]}
    return found


def lost(training):
    """A rank whose process is killed, and one that stalls: seconds until the other ends, and what it says."""
    words = ["--model", "gpt2", "--size", "124M", "--batch", "8", "--steps", 100000, "--ranks", 2, "--patience", PATIENCE]
    found = {}
    meeting = training.directory / "meeting"
    ranks = [training.start(*words, "--rank", r, "--meeting", meeting) for r in range(2)]
    for line in ranks[0].stdout:
        if "step     20/" in line:
            break
    ranks[1].send_signal(signal.SIGKILL)
    begin = time.monotonic()
    _, error = ranks[0].communicate(timeout=20 * PATIENCE)
    found["killed"] = {"seconds": time.monotonic() - begin, "exit": ranks[0].returncode, "says": error.strip()}
    process = training.start(*words, "--stall", "1:20")
    begin = None
    for line in process.stdout:
        if "step     20/" in line:
            begin = time.monotonic()
            break
    _, error = process.communicate(timeout=20 * PATIENCE)
    found["stalled"] = {"seconds": time.monotonic() - begin, "exit": process.returncode, "says": error.strip()}
    for name, of in found.items():
        if of["exit"] != 1 or "did not answer" not in of["says"] or of["seconds"] > PATIENCE + 30:
            raise SystemExit(f"a rank that is {name}: {of}")
    return found


def collectives(program, directory):
    file = pathlib.Path(directory) / "collectives.json"
    result = subprocess.run([program, "--bench", "--json", str(file)], capture_output=True, text=True, timeout=400)
    if result.returncode:
        raise SystemExit(result.stdout[-4000:] + result.stderr)
    rows = json.loads(file.read_text())
    for row in rows:
        row["speed"] = row["other_us"] / row["us"]
        size = re.search(r"(\d+) (GB|MB)$", row["name"])
        if size:  # bus bandwidth as NCCL's tests count it, of two ranks: all_reduce 2 (n - 1) / n, the others (n - 1) / n of the bytes
            bytes_ = int(size.group(1)) << (30 if size.group(2) == "GB" else 20)
            row["bus_gb_s"] = bytes_ * (1 if row["name"].startswith("all_reduce") else 0.5) / row["us"] / 1e3
    return {"passed": re.findall(r"^\d+ ranks: .*$", result.stdout, re.M), "rows": rows}


def table(report):
    lines = [f"Measured on {report['devices'][0]} x {len(report['devices'])}. Made by `tools/bench/ranks.py`, which says what is measured.", "",
             "| model | one rank | two ranks | tokens/s, one | two | times | aim | buffers of a rank, one | two |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for r in report.get("speeds", []):
        lines.append(f"| {r['name']} | {r['one_ms']:.2f} ms | {r['two_ms']:.2f} ms | {r['one_tokens_s'] / 1e3:.1f} k | {r['two_tokens_s'] / 1e3:.1f} k | {r['ratio']:.3f} | {r['aim']} | "
                     f"{r['one_bytes'] / 2**30:.1f} GiB | {r['two_bytes'] / 2**30:.1f} GiB |")
    if report.get("speeds"):
        lines += ["", "Hashes of the weights of rank 0, of rank 1 and of the master weights, equal in two runs: " + "; ".join(f"{r['name']} `{' '.join(r['hashes'])}`" for r in report["speeds"]) + "."]
    if "losses" in report:
        of = report["losses"]
        one, two = of["clipped"]["last"]
        lines += ["", f"Losses of GPT-2 124M over {of['steps']} steps of 64 x 1024 tokens, two ranks beside one rank with two batches: without clipping at most {of['unclipped']['largest']:.2g} apart; "
                  f"clipped {two:.5f} and {one:.5f} after the last step, at most {of['clipped']['largest']:.2g} apart before."]
    for name, of in report.get("lost", {}).items():
        lines += ["", f"A rank that is {name} (`--patience {PATIENCE}`): the other ends after {of['seconds']:.1f} s with status {of['exit']} and says: {of['says']}"]
    if "collectives" in report:
        lines += ["", "Collectives on both GPUs, against the host: " + "; ".join(report["collectives"]["passed"]) + ".", "",
                  "| collective | us | raw NCCL | speed | bus bandwidth |", "| --- | ---: | ---: | ---: | ---: |"]
        for row in report["collectives"]["rows"]:
            bus = f"{row['bus_gb_s']:.0f} GB/s" if "bus_gb_s" in row else ""
            lines.append(f"| {row['name']} | {row['us']:.1f} | {row['other_us']:.1f} | {row['speed']:.3f} | {bus} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--gpt", default="build/tools/gpt")
    parser.add_argument("--collectives", default="build/tests/collective_test")
    parser.add_argument("--steps", type=int, default=41)
    parser.add_argument("--part", nargs="*", choices=["speeds", "losses", "lost", "collectives"], help="only these; the others are taken from OUTPUT.json, where it has them")
    options = parser.parse_args()
    names = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    report, failed = {"devices": [name for name in names if name]}, []
    earlier = pathlib.Path(options.output + ".json")
    if options.part and earlier.exists():
        report = json.loads(earlier.read_text()) | report
    with tempfile.TemporaryDirectory() as directory:
        training = Training(options.gpt, directory)
        parts = {"speeds": lambda: speeds(training, options.steps), "losses": lambda: losses(training), "lost": lambda: lost(training),
                 "collectives": lambda: collectives(options.collectives, directory)}
        for name, part in parts.items():
            if options.part and name not in options.part:
                continue
            try:
                report[name] = part()
            except (SystemExit, AssertionError, subprocess.TimeoutExpired) as error:
                failed.append(f"{name}: {error}")
            records.write(options.output + ".json", report)  # what was measured stays
            files.write(options.output + ".md", table(report))
    for r in report.get("speeds", []):
        if r["ratio"] < r["aim"]:
            failed.append(f"{r['name']}: {r['ratio']:.3f} times one rank, aim {r['aim']}")
    if "losses" in report:
        one, two = report["losses"]["clipped"]["last"]
        if report["losses"]["unclipped"]["largest"] > 0 or abs(one - two) > 1e-3:
            failed.append(f"losses differ: {report['losses']}")
    for row in report.get("collectives", {}).get("rows", []):
        if "bus_gb_s" in row and row["speed"] < AIM_OF_COLLECTIVES:
            failed.append(f"{row['name']}: {row['speed']:.3f} of raw NCCL, aim {AIM_OF_COLLECTIVES}")
    print(table(report))
    if failed:
        raise SystemExit("\n".join(failed))


main()
