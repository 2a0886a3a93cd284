"""Runs a program many times side by side. A process that crashes, or goes beyond a limit of processor time or memory, is named and fails; the others
go on."""
import concurrent.futures
import dataclasses
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

POLL_SECONDS = 0.1
PAGE = resource.getpagesize()


@dataclasses.dataclass
class Task:
    name: str
    command: list


@dataclasses.dataclass
class Result:
    name: str
    fault: str       # "" where the process ended with 0
    seconds: float   # of the processor
    mebibytes: int   # of resident memory at most; mappings that nobody touched do not count
    output: str


def add_options(parser):
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--memory", type=float, default=6, metavar="GIB", help="resident memory of a process at most (default 6)")
    parser.add_argument("--minutes", type=float, default=20, help="processor time of a process at most (default 20)")
    parser.add_argument("--within", type=float, default=float("inf"), metavar="MINUTES", help="what has not ended by then fails")


def resident_bytes(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * PAGE
    except (OSError, IndexError):  # it has ended
        return 0


def run_one(task, options, env, end_of_all):
    limit = 60 * options.minutes
    if time.monotonic() > end_of_all:
        return Result(task.name, "not started in time", 0, 0, "")
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([str(word) for word in task.command], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   env={**os.environ, **env})
        resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
        fault, end = "", time.monotonic() + 10 * limit
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if not fault and resident_bytes(process.pid) > options.memory * 2**30:
                fault = f"more than {options.memory:g} GiB"
                process.kill()
            elif not fault and time.monotonic() > end_of_all:
                fault = f"ended after {options.within:g} minutes of all"
                process.kill()
            elif not fault and time.monotonic() > end:  # it waits for something that does not come
                fault = f"no end in {10 * options.minutes:g} minutes"
                process.kill()
            time.sleep(POLL_SECONDS)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        if not fault and code in (-signal.SIGXCPU, -signal.SIGKILL) and used.ru_utime + used.ru_stime >= limit:
            fault = f"no end in {options.minutes:g} minutes of processor time"
        elif not fault and code < 0:
            fault = f"ended by {signal.Signals(-code).name}"
        elif not fault and code:
            fault = f"exit code {code}"
        output.seek(0)
        return Result(task.name, fault, used.ru_utime + used.ru_stime, used.ru_maxrss >> 10, output.read().decode(errors="replace"))


def run(tasks, options, env=None):
    """The results in the order of the tasks. Prints what failing processes print."""
    done, results, end_of_all = 0, {}, time.monotonic() + 60 * options.within
    with concurrent.futures.ThreadPoolExecutor(max(options.jobs, 1)) as pool:
        futures = {pool.submit(run_one, task, options, env or {}, end_of_all): i for i, task in enumerate(tasks)}
        for future in concurrent.futures.as_completed(futures):
            result = results[futures[future]] = future.result()
            done += 1
            if result.fault:
                print(f"---- {result.name}: {result.fault}\n{result.output[-4000:].rstrip()}", flush=True)
            elif sys.stderr.isatty():
                print(f"\r{done} of {len(tasks)} ", end="", file=sys.stderr, flush=True)
    return [results[i] for i in range(len(tasks))]


def table(results, columns=()):
    """Prints a line for each process. columns: pairs of a heading and a function of a result."""
    width = max(len(result.name) for result in results)
    print(f"{'process':{width}}" + "".join(f"{heading:>14}" for heading, _ in columns) + f"{'seconds':>10}{'MiB':>8}  result")
    for result in results:
        print(f"{result.name:{width}}" + "".join(f"{value(result):>14}" for _, value in columns) +
              f"{result.seconds:10.1f}{result.mebibytes:8}  {result.fault or 'passed'}")
    failed = [result for result in results if result.fault]
    print(f"{len(results) - len(failed)} of {len(results)} processes passed, in {sum(result.seconds for result in results):.0f} s of processor time")
    return failed
