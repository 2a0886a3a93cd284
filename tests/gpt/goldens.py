#!/usr/bin/env python3
"""Trains with tools/gpt and tools/demo, and compares the hashes of the weights with tests/gpt/goldens.tsv: on the host, and on a GPU where there is one.
goldens.py BUILD [--record]

A training that is captured as a graph, or stopped and resumed, has the bits of one that is not; on the host also one of two ranks. Rows of the host hold on
every machine: its sums are exact to far beyond the rounding of a result. Rows of a GPU hold for its model and the versions of the libraries. Where the table
lacks one of them, the script says so; --record adds it, and replaces hashes that differ."""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).resolve().parent / "goldens.tsv"
COLUMNS = ("machine", "versions", "run", "hash")
LIBRARIES = ("CUDA driver", "NVRTC", "cuBLASLt", "cuDNN", "NCCL")
SMALL = ["--layers", "2", "--width", "16", "--heads", "2", "--hidden", "24", "--context", "16", "--batch", "2"]
# No gradient is clipped: then two ranks add what one rank adds that takes two batches.
STEPS = ["--steps", "6", "--clip", "1000", "--print-every", "6"]
LARGE = ["--size", "124M", "--batch", "2", "--data", "formula", "--steps", "2", "--print-every", "2"]
TEXT = "".join(f"The gradient of rank {i} is summed over {i * i % 97} tokens, and its norm is {i % 13}. " for i in range(40)).encode()
DEMO_STEPS = 60


class Trainer:
    def __init__(self, build, directory, machine, most_ranks):
        self.build, self.directory, self.machine, self.most_ranks = build, pathlib.Path(directory), machine, most_ranks
        self.text = self.directory / "text"
        self.text.write_bytes(TEXT)

    def run(self, program, *arguments):
        command = [self.build / "tools" / program, "--out", self.directory / "curve", *(["--host"] if self.machine == "host" else []), *arguments]
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, f"{' '.join(map(str, command))}: {result.returncode}\n{result.stdout}{result.stderr}"
        return result.stdout

    def gpt(self, *arguments):
        return re.search(r"^hash +(\w+)$", self.run("gpt", "--print-hash", *arguments), re.M).group(1)

    def resumed(self, *arguments):
        checkpoint = self.directory / "checkpoint"
        checkpoint.unlink(missing_ok=True)
        self.run("gpt", *arguments, "--checkpoint", checkpoint, "--save-every", "3", "--stop-after", "3")
        return self.gpt(*arguments, "--checkpoint", checkpoint, "--resume")

    def demo(self, ranks):
        self.run("demo", self.text, "--steps", DEMO_STEPS, "--ranks", ranks)
        facts = json.loads((self.directory / "curve.json").read_text())
        assert facts["ranks"] == ranks and (facts["machine"].find("host") < 0) == (self.machine != "host"), facts
        return facts["weights_hash"]

    def hashes(self):
        """Yields name and hash of every training."""
        host = self.machine == "host"
        for model, dtype in (("gpt2", "bf16"), ("gpt2", "f32"), ("llama", "bf16"), ("llama", "f32")):
            name, common = f"{model} {dtype}", [*SMALL, self.text, *STEPS, "--model", model, "--dtype", dtype]
            one = self.gpt(*common, "--accumulate", "2")
            yield name, one
            assert self.gpt(*common, "--accumulate", "2", "--graph") == one, f"{name}: with --graph it has other bits"
            assert self.resumed(*common, "--accumulate", "2") == one, f"{name}: resumed it has other bits"
            if self.most_ranks >= 2:
                two = self.gpt(*common, "--ranks", "2")
                yield name + ", 2 ranks", two
                assert two == one or not host, f"{name}: two ranks have other bits than one with two batches"
        for ranks in (1, 2):
            if self.most_ranks >= ranks:
                yield ("demo" if ranks == 1 else f"demo, {ranks} ranks"), self.demo(ranks)
        if host:
            return
        one = self.gpt(*LARGE)
        yield "gpt2 124M bf16", one
        assert self.gpt(*LARGE, "--graph") == one, "gpt2 124M: with --graph it has other bits"


def read():
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert all(tuple(row) == COLUMNS and all(row.values()) for row in rows), f"{TABLE}: a row lacks a column"
    return {(row["machine"], row["versions"], row["run"]): row["hash"] for row in rows}


def write(table):
    lines = ["\t".join(COLUMNS)] + ["\t".join((*key, value)) for key, value in sorted(table.items())]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def machines(build):
    """The host, and the first GPU when the library can use it: name, versions of what it uses, most ranks."""
    yield "host", "any", 2
    report = json.loads(subprocess.run([build / "tools" / "adjoint", "doctor", "--json"], capture_output=True, text=True, check=True).stdout)
    if report["gpu"]["usable"]:
        found = {library["name"]: library["version"] for library in report["libraries"] if library["available"]}
        yield report["devices"][0]["name"], ", ".join(f"{name} {found.get(name, 'none')}" for name in LIBRARIES), len(report["devices"]) if "NCCL" in found else 1


def main():
    build, record = pathlib.Path(sys.argv[1]), sys.argv[2:] == ["--record"]
    assert record or not sys.argv[2:], __doc__
    table, failures = read(), []
    for machine, versions, most_ranks in machines(build):
        with tempfile.TemporaryDirectory() as directory:
            found = {(machine, versions, name): value for name, value in Trainer(build, directory, machine, most_ranks).hashes()}
        missing = [key[2] for key in found if key not in table and not record]
        differing = [key for key in found if table.get(key, found[key]) != found[key]]
        if record:
            table |= found
        else:
            failures += [f"{machine}: {key[2]}: hash {found[key]}, recorded {table[key]}" for key in differing]
            failures += [f"{machine}: {name}: the table has no row" for name in missing if machine == "host"]
        print(f"{machine} ({versions}): {len(found)} trainings, {len(found) - len(missing)} {'recorded' if record else 'compared'}")
        if missing:
            print(f"the table has no row for: {'; '.join(missing)}; tests/gpt/goldens.py {build} --record adds it")
    if record:
        write(table)
    print(*failures, sep="\n", end="\n" if failures else "")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
