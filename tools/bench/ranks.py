"""Trains with tools/gpt on 1, 2, 4, ... GPUs of one machine, as many as there are, in one run:
ranks.py OUTPUT [--gpt PROGRAM] [--collectives PROGRAM] [--steps N] [--part PART ...]

speeds: tokens a second of N ranks beside N times one, with the same batch on each rank; on all GPUs with --shard weights too, and as processes that meet through a
file. The hashes of the weights of all ranks must be equal, in all runs on as many ranks. large: the Llama of 7 G parameters with --shard weights. losses: two ranks
beside one that takes both batches. lost: kills one of the processes, and stalls one of the threads, and takes the time until the others end. collectives: beside raw
calls of NCCL (tests/gpu/collective.cpp). Writes OUTPUT.json and OUTPUT.md."""
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

THREADS = ("moments", "threads", []), ("weights", "threads", []), ("weights", "threads, CUDA graph", ["--graph"])
PROCESSES = ("moments", "processes", []), ("weights", "processes", [])
# Words, and how all GPUs are trained on.
CASES = {"GPT-2 124M, 64 x 1024 a rank": (["--model", "gpt2", "--size", "124M", "--batch", "64"], (*THREADS, PROCESSES[0])),
         "Llama 1.2 G, 4 x 4096 a rank": (["--model", "llama", "--size", "1.2B", "--batch", "4"], PROCESSES)}
LARGE = ["--model", "llama", "--size", "7B", "--batch", "1"]
AIM, STEPS_OF_LOSSES, PATIENCE, AIM_OF_COLLECTIVES = 0.95, 100, 10, 0.98  # AIM: tokens a second of N ranks, as a part of N times those of one


class Training:
    def __init__(self, program, directory):
        self.program, self.directory = program, pathlib.Path(directory)
        self.environment = wheels.environment()

    def start(self, *words, out="curve"):
        command = [self.program, "--data", "formula", "--warmup", "700", "--lr", "6e-4", "--beta2", "0.95", "--out", self.directory / out, *words]
        return subprocess.Popen(list(map(str, command)), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *words):
        process = self.start(*words)
        out, error = process.communicate(timeout=300)
        if process.returncode:
            raise SystemExit(f"{words}: {process.returncode}\n{out}{error}")
        return out, self.facts()

    def processes(self, count, *words):
        """What rank 0 of as many processes says, and what the others print of their weights."""
        meeting = self.directory / "meeting"
        ranks = [self.start(*words, "--ranks", count, "--rank", r, "--meeting", meeting, out=f"curve{r or ''}") for r in range(count)]
        said = [process.communicate(timeout=300) for process in ranks]
        for r, process in enumerate(ranks):
            if process.returncode:
                raise SystemExit(f"process {r} of {count}, {words}: {process.returncode}\n{''.join(said[r])}")
        return "".join(out for out, _ in said), self.facts()

    def facts(self):
        return json.loads((self.directory / "curve.json").read_text())


def counts(devices):
    return [n for n in (1, 2, 4, 8, 16) if n <= devices]


def speeds(training, steps, tune, devices, rows):
    """Adds to the rows."""
    for case, (words, ways) in CASES.items():
        words = [*words, "--steps", steps, *(["--tune"] if tune else [])]
        one = 0
        for ranks in counts(devices):
            for shard, how, more in ways if ranks == counts(devices)[-1] else THREADS[:1]:
                hashed = ranks == counts(devices)[-1]
                words_now = [*words, *more, *(["--shard", shard] if ranks > 1 else []), *(["--print-hash"] if hashed else [])]
                # One rank keeps the verdicts of --tune, which all ranks then read.
                out, facts = training.processes(ranks, *words_now) if how == "processes" else training.run(*words_now, "--ranks", ranks)
                hashes = re.findall(r"^hash +(\w+) of the weights of rank \d+$", out, re.M)
                row = {"name": case, "ranks": ranks, "shard": shard, "how": how, "ms": facts["milliseconds"], "tokens_s": facts["tokens_a_step"] / facts["milliseconds"] * 1e3,
                       "bytes": facts["bytes"], "hashes": hashes}
                one = one or row["tokens_s"]
                row["part"] = row["tokens_s"] / one / ranks
                rows.append(row)
                print(row, flush=True)
                if len(hashes) != (ranks if hashed else 0) or len(set(hashes)) > 1:
                    raise SystemExit(f"{case}, {ranks} ranks, {shard}, {how}: hashes of the ranks: {hashes}")
    return rows


def large(training, devices):
    out, facts = training.run(*LARGE, "--ranks", counts(devices)[-1], "--shard", "weights", "--steps", 12, "--print-every", 5)
    return {"ranks": counts(devices)[-1], "parameters": facts["parameters"], "ms": facts["milliseconds"], "tokens_s": facts["tokens_a_step"] / facts["milliseconds"] * 1e3,
            "bytes": facts["bytes"], "memory": facts["memory"], "first_step_seconds": facts["first_step_seconds"],
            "losses": [float(x) for x in re.findall(r"loss (\d+\.\d+)", out)]}


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


def lost(training, devices):
    """A rank whose process is killed, and one that stalls: seconds until the last of the others ends, and what they say."""
    count = counts(devices)[-1]
    words = ["--model", "gpt2", "--size", "124M", "--batch", "8", "--steps", 100000, "--ranks", count, "--patience", PATIENCE, "--shard", "weights"]
    found = {}
    meeting = training.directory / "meeting"
    ranks = [training.start(*words, "--rank", r, "--meeting", meeting) for r in range(count)]
    for line in ranks[0].stdout:
        if "step     20/" in line:
            break
    ranks[-1].send_signal(signal.SIGKILL)
    begin = time.monotonic()
    errors = [process.communicate(timeout=20 * PATIENCE)[1] for process in ranks]
    found["killed"] = {"seconds": time.monotonic() - begin, "exits": [process.returncode for process in ranks[:-1]], "says": [error.strip() for error in errors[:-1]]}
    process = training.start(*words, "--stall", f"{count - 1}:20")
    begin = time.monotonic()
    for line in process.stdout:
        if "step     20/" in line:
            begin = time.monotonic()
            break
    _, error = process.communicate(timeout=20 * PATIENCE)
    found["stalled"] = {"seconds": time.monotonic() - begin, "exits": [process.returncode], "says": [error.strip().split("\n")[0]]}
    for name, of in found.items():
        if set(of["exits"]) != {1} or not all("did not answer" in says for says in of["says"]) or of["seconds"] > PATIENCE + 30:
            raise SystemExit(f"a rank that is {name}: {of}")
    return found


def collectives(program, directory, devices):
    file = pathlib.Path(directory) / "collectives.json"
    result = subprocess.run([program, "--bench", "--json", str(file)], capture_output=True, text=True, timeout=400)
    if result.returncode:
        raise SystemExit(result.stdout[-4000:] + result.stderr)
    rows = json.loads(file.read_text())
    for row in rows:
        row["speed"] = row["other_us"] / row["us"]
        size = re.search(r"(\d+) (GB|MB)$", row["name"])
        if size:  # bus bandwidth as NCCL's tests count it, of n ranks: all_reduce 2 (n - 1) / n, the others (n - 1) / n of the bytes
            bytes_ = int(size.group(1)) << (30 if size.group(2) == "GB" else 20)
            row["bus_gb_s"] = bytes_ * (2 if row["name"].startswith("all_reduce") else 1) * (devices - 1) / devices / row["us"] / 1e3
    return {"passed": re.findall(r"^\d+ ranks: .*$", result.stdout, re.M), "rows": rows}


def table(report):
    lines = [f"Measured on {report['devices'][0]} x {len(report['devices'])}. Made by `tools/bench/ranks.py`, which says what is measured."]
    if report.get("speeds"):
        lines += ["", f"Aim: N ranks do {AIM} of N times the tokens of one rank.", "",
                  "| model | ranks | shared out | how | a step | tokens/s | of N times one rank | buffers of a rank |", "| --- | ---: | --- | --- | ---: | ---: | ---: | ---: |"]
    for r in report.get("speeds", []):
        lines.append(f"| {r['name']} | {r['ranks']} | {r['shard'] if r['ranks'] > 1 else ''} | {r['how'] if r['ranks'] > 1 else ''} | {r['ms']:.2f} ms | {r['tokens_s'] / 1e3:.1f} k | "
                     f"{r['part']:.3f} | {r['bytes'] / 2**30:.1f} GiB |")
    for case in CASES:
        seen = {}
        for r in report.get("speeds", []):
            if r["name"] == case and r["hashes"]:
                seen.setdefault(r["ranks"], []).append(r["hashes"][0])
        for ranks, hashes in seen.items():
            lines += ["", f"Weights of {case}, hash on each of {ranks} ranks" + (f" in {len(hashes)} runs: " if len(hashes) > 1 else ": ") + ", ".join(f"`{h}`" for h in dict.fromkeys(hashes)) + "."]
    if "large" in report:
        of = report["large"]
        memory = ", ".join(f"{name} {n / 2**30:.1f}" for name, n in sorted(of["memory"].items(), key=lambda kind: -kind[1]) if n >= 2**26)
        lines += ["", f"Llama of {of['parameters'] / 1e9:.2f} G parameters, 1 x 4096 a rank, `--shard weights` on {of['ranks']} ranks: {of['ms']:.1f} ms a step, {of['tokens_s'] / 1e3:.2f} k tokens/s, "
                  f"{of['bytes'] / 2**30:.1f} GiB of buffers a rank ({memory}); losses {', '.join(map(str, of['losses']))}."]
    if "losses" in report:
        of = report["losses"]
        one, two = of["clipped"]["last"]
        lines += ["", f"Losses of GPT-2 124M over {of['steps']} steps of 64 x 1024 tokens, two ranks beside one rank with two batches: without clipping at most {of['unclipped']['largest']:.2g} apart; "
                  f"clipped {two:.5f} and {one:.5f} after the last step, at most {of['clipped']['largest']:.2g} apart before."]
    for name, of in report.get("lost", {}).items():
        lines += ["", f"A rank that is {name} (`--patience {PATIENCE}`): the others end after {of['seconds']:.1f} s, with status {', '.join(map(str, of['exits']))}, and say: {of['says'][0]}"]
    if "collectives" in report:
        lines += ["", "Collectives on all GPUs, against the host: " + "; ".join(report["collectives"]["passed"]) + ".", "",
                  "| collective | us | raw NCCL | speed | bus bandwidth |", "| --- | ---: | ---: | ---: | ---: |"]
        for row in report["collectives"]["rows"]:
            bus = f"{row['bus_gb_s']:.0f} GB/s" if "bus_gb_s" in row else ""
            lines.append(f"| {row['name']} | {row['us']:.1f} | {row['other_us']:.1f} | {row['speed']:.3f} | {bus} |")
    return "\n".join(lines) + "\n"


def failures(report):
    hashes = {}
    for r in report.get("speeds", []):
        if r["part"] < AIM:
            yield f"{r['name']}, {r['ranks']} ranks, {r['shard']}, {r['how']}: {r['part']:.3f} of {r['ranks']} times one rank, aim {AIM}"
        hashes.setdefault((r["name"], r["ranks"]), set()).update(r["hashes"])
    for (name, ranks), seen in hashes.items():
        if len(seen) > 1:
            yield f"{name}, {ranks} ranks: runs end with different weights: {sorted(seen)}"
    if "losses" in report:
        one, two = report["losses"]["clipped"]["last"]
        if report["losses"]["unclipped"]["largest"] > 0 or abs(one - two) > 1e-3:
            yield f"losses differ: {report['losses']}"
    for row in report.get("collectives", {}).get("rows", []):
        if "bus_gb_s" in row and row["speed"] < AIM_OF_COLLECTIVES:
            yield f"{row['name']}: {row['speed']:.3f} of raw NCCL, aim {AIM_OF_COLLECTIVES}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--gpt", default="build/tools/gpt")
    parser.add_argument("--collectives", default="build/tests/collective_test")
    parser.add_argument("--steps", type=int, default=41)
    parser.add_argument("--untuned", action="store_true", help="measure no kernels before the speeds: less time, and slower steps on any number of ranks")
    parser.add_argument("--part", nargs="*", choices=["speeds", "large", "losses", "lost", "collectives"], help="only these; the others are taken from OUTPUT.json, where it has them")
    options = parser.parse_args()
    names = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    report, failed = {"devices": [name for name in names if name]}, []
    devices = len(report["devices"])
    earlier = pathlib.Path(options.output + ".json")
    if options.part and earlier.exists():
        report = json.loads(earlier.read_text()) | report
    with tempfile.TemporaryDirectory() as directory:
        training = Training(options.gpt, directory)
        rows = []
        parts = {"speeds": lambda: speeds(training, options.steps, not options.untuned, devices, rows), "lost": lambda: lost(training, devices), "large": lambda: large(training, devices),
                 "losses": lambda: losses(training), "collectives": lambda: collectives(options.collectives, directory, devices)}
        for name, part in parts.items():
            # One GPU has nothing to compare, and 7 G parameters take four of 80 GB at least.
            if (options.part and name not in options.part) or devices < (4 if name == "large" else 2):
                continue
            begin = time.monotonic()
            try:
                report[name] = part()
            except (SystemExit, AssertionError, subprocess.TimeoutExpired) as error:
                failed.append(f"{name}: {error}")
                if name == "speeds":
                    report[name] = rows
            print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)
            records.write(options.output + ".json", report)  # what was measured stays
            files.write(options.output + ".md", table(report))
    failed += failures(report)
    print(table(report))
    if failed:
        raise SystemExit("\n".join(failed))


main()
