"""What processes.py says of processes that end in different ways, beside one that does not."""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import processes  # noqa: E402

ENDS = {  # name: program, fault
    "right": ("pass", ""),
    "wrong": ("print('some words'); raise SystemExit(3)", "exit code 3"),
    "crash": ("import os; os.abort()", "ended by SIGABRT"),
    "large": ("block = bytearray(b'1') * (1 << 30)\nwhile True: pass", "more than 0.2 GiB"),
    "endless": ("while True: pass", "no end in 0.01 minutes of processor time"),
}


def options(*words):
    parser = argparse.ArgumentParser()
    processes.add_options(parser)
    return parser.parse_args(["--memory", "0.2", "--minutes", "0.01", *words])


tasks = [processes.Task(name, [sys.executable, "-c", program]) for name, (program, _) in ENDS.items()]
failures = 0
results = processes.run(tasks, options("--jobs", "2"))
for result in results:
    if result.fault != ENDS[result.name][1]:
        failures += 1
        print(f"FAIL: {result.name}: '{result.fault}', and '{ENDS[result.name][1]}' is right")
if results[1].output != "some words\n":
    failures += 1
    print(f"FAIL: a process has printed {results[1].output!r}")
if [result.name for result in processes.table(results)] != list(ENDS)[1:]:
    failures += 1
    print("FAIL: the table does not have the processes that fail")
sleeper = processes.Task("sleeper", [sys.executable, "-c", "import time; time.sleep(60)"])
faults = [result.fault for result in processes.run([sleeper, sleeper], options("--jobs", "1", "--within", "0.01"))]
if faults != ["ended after 0.01 minutes of all", "not started in time"]:
    failures += 1
    print(f"FAIL: processes beyond the time of all: {faults}")
sys.exit(failures > 0)
