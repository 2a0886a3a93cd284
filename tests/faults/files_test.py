"""Programs that write and read files, each at the limits of files: a link, a pipe, a device, a disk that is full, a place that may not be written; what is
missing, a directory, empty, or of more than 2^30 bytes. The library's own functions for this are tried in tests/unit/files.cpp.
usage: files_test.py ADJOINT GPT DEMO"""
import os
import pathlib
import resource
import stat
import struct
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADJOINT, GPT, DEMO = map(os.path.abspath, sys.argv[1:4])
NOBODY = 65534
LARGE = (1 << 30) + 4097
PROBLEM = ["softmax_backward", "outer=8", "extent=4", "element=bf16"]
MEASURED = '{"device": "x", "copy_ceiling_gb_s": 1, "cases": [{"name": "adamw f32 1", "floor_bytes": 1e6, "fraction_of_copy": 0.25}]}'


class Place:
    """A folder with what programs read."""
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o777)
        self.text, self.measured = self.folder / "text", self.folder / "measured.json"
        self.text.write_bytes(b"The norm of the gradient is clipped, and the loss is summed over tokens. " * 40)
        self.measured.write_text(MEASURED)

    def gpt(self, *options, text=None, steps=1):
        return [GPT, "--host", "--layers", "1", "--width", "16", "--heads", "2", "--context", "16", "--batch", "2", "--dtype", "f32", "--steps", str(steps),
                "--out", self.folder / "curve", *options, text or self.text]


# name: (command that writes a path, extension that the program adds)
WRITERS = {
    "a tuning file": lambda place, path: [ADJOINT, "tune", *PROBLEM, "-o", path],
    "a pack": lambda place, path: [ADJOINT, "sku", "compile", "--sku", "softmax_backward/*/bf16*", "--arch", "sm_80", "-o", path],
    "a picture of measurements": lambda place, path: [ADJOINT, "bench", "--from", place.measured, "--svg", path],
    "a checkpoint": lambda place, path: place.gpt("--checkpoint", path),
    "weights for other programs": lambda place, path: place.gpt("--export", path),
    "a file of tokens": lambda place, path: place.gpt("--write-tokens", path),
    "a picture of a step": lambda place, path: place.gpt("--picture", path),
    "gradients": lambda place, path: place.gpt("--dump-gradients", path),
    "the numbers of a curve": lambda place, path: place.gpt("--out", str(path).removesuffix(".json")),
    "the picture of a curve": lambda place, path: place.gpt("--out", str(path).removesuffix(".svg")),
    "the curve of the demo": lambda place, path: [DEMO, "--host", "--steps", "2", "--out", str(path).removesuffix(".json"), place.text],
    "results of tools/bench": lambda place, path: [sys.executable, "-B", "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'tools/bench')!r}); import files; "
                                                   "files.write(sys.argv[1], 'results' * 100)", path],
}
EXTENSIONS = {"the numbers of a curve": ".json", "the picture of a curve": ".svg", "the curve of the demo": ".json"}
TRAINED = {"the curve of the demo", "a text of the demo"}  # ends with an error after two steps, when everything is written

# name: (command that reads a path, the writer of a good file, whether more than 2^30 bytes are refused; None: not tried, since so many tokens take
# long, an operator takes no longer code, and initial weights are read as a checkpoint is)
READERS = {
    "a tuning file": (lambda place, path: [ADJOINT, "tune", *PROBLEM, "-o", path], "a tuning file", True),
    "a pack": (lambda place, path: [ADJOINT, "pack", "list", path], "a pack", False),
    "measurements": (lambda place, path: [ADJOINT, "bench", "--from", path, "--svg", place.folder / "picture"], "measured", False),
    "code": (lambda place, path: [ADJOINT, "sku", "explain", "user_kernel", "code_kind=ptx", "entry=k", "output_numel=4", "grid=1", "block=32", "element=f32",
                                  "--arch", "sm_90a", f"code=@{path}"], "ptx", None),
    "a text": (lambda place, path: place.gpt(text=path), "text", None),
    "a text of the evaluation": (lambda place, path: place.gpt("--eval-every", "1", "--valid", path), "text", None),
    "tokens": (lambda place, path: place.gpt(text=path), "a file of tokens", None),
    "a tokenizer": (lambda place, path: place.gpt("--tokenizer", path, "--vocabulary", "257"), "tokenizer", True),
    "initial weights": (lambda place, path: place.gpt("--init", path), "a checkpoint", None),
    "a checkpoint": (lambda place, path: place.gpt("--checkpoint", path, "--resume", steps=2), "a checkpoint", True),
    "a text of the demo": (lambda place, path: [DEMO, "--host", "--steps", "2", "--out", place.folder / "curve", path], "text", None),
}
ENDLESS = {"measurements", "code", "a text", "a text of the evaluation", "a text of the demo", "tokens"}  # may be pipes, which are waited for
NEW = {"a tuning file", "a checkpoint"}  # is begun where there is none

failures = []
tried = 0


def expect(condition, what):
    global tried
    tried += 1
    if not condition:
        failures.append(what)
        print("FAILED:", what, flush=True)


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=240, **options)


def as_nobody(command):
    """Run by root, who may read and write everything."""
    def give_up():
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    if command[0] != sys.executable:
        return run(command, preexec_fn=give_up)
    # A Python may lie where only root finds it, so it gives up its rights itself.
    script = "import os; os.setgroups([]); os.setgid(65534); os.setuid(65534); " + command[3]
    return run([*command[:3], script, *command[4:]])


def works(name, done):
    return done.returncode in ((0, 1) if name in TRAINED else (0,))


def said(done):
    return f"exit code {done.returncode}: {(done.stderr + done.stdout)[-500:]!r}"


def refused(name, what, done, *words):
    expect(done.returncode not in (0, None) and done.returncode > 0 and all(str(word) in done.stderr for word in words), f"{name}, {what}: {said(done)}")
    expect("Traceback" in done.stderr if "tools/bench" in name else "terminate called" not in done.stderr, f"{name}, {what}: no sentence: {done.stderr[-300:]!r}")


def leftovers(folder):
    return sorted(path.name for path in folder.iterdir() if ".tmp." in path.name)


def write(place, name, make):
    path = place.folder / f"written{EXTENSIONS.get(name, '')}"
    done = run(make(place, path))
    expect(works(name, done) and path.stat().st_size > 64, f"{name}: {said(done)}")
    size = path.stat().st_size
    # A file that exists keeps its permissions. A link stays one.
    there, link = place.folder / "there", place.folder / f"link{path.suffix}"
    there.mkdir()
    target = there / f"target{path.suffix}"
    target.write_bytes(b"" if name in NEW else b"old")
    if name == "a tuning file":
        target.write_bytes(path.read_bytes())
    target.chmod(0o606)
    link.symlink_to(f"there/{target.name}")
    done = run(make(place, link))
    expect(works(name, done) and link.is_symlink() and target.stat().st_size > 64 and stat.S_IMODE(target.stat().st_mode) == 0o606, f"{name}, a link: {said(done)}")
    # A disk that is full: what was there stays, and nothing beside it. (Python ignores the signal of the limit, and so do its children.)
    old = target.read_bytes()
    done = run(make(place, link), restore_signals=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
    refused(name, "a full disk", done, "File too large")
    expect(target.read_bytes() == old and link.is_symlink() and not leftovers(there), f"{name}, a full disk: {leftovers(there)}")
    if os.getuid() == 0:
        there.chmod(0o555)
        target.chmod(0o666)
        done = as_nobody(make(place, link))
        refused(name, "a folder of another user", done, "ermission denied")
        expect(target.read_bytes() == old, f"{name}, a folder of another user: written")
    # Places that cannot be.
    for what, at in (("below a file", place.text / f"x{path.suffix}"), ("in no folder", place.folder / "no" / f"x{path.suffix}")):
        done = run(make(place, at))
        refused(name, what, done, at.parent)
        expect("loss" not in done.stdout, f"{name}, {what}: is found after the training")
    folder = place.folder / f"folder{path.suffix}"
    folder.mkdir()
    refused(name, "a folder", run(make(place, folder)), folder)
    if name in NEW - {"a checkpoint"}:
        return  # is read before it is written: no device
    # A device and a pipe stay what they are.
    full, pipe, seen = place.folder / f"full{path.suffix}", place.folder / f"pipe{path.suffix}", []
    full.symlink_to("/dev/full")
    refused(name, "a device that is full", run(make(place, full)), "No space left on device")
    expect(stat.S_ISCHR(os.stat("/dev/full").st_mode), f"{name}: /dev/full is no device any more")
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: seen.append(pipe.read_bytes()), daemon=True)
    reader.start()
    done = run(make(place, pipe))
    reader.join(10)
    expect(works(name, done) and pipe.is_fifo() and seen and abs(len(seen[0]) - size) < 64, f"{name}, a pipe: {said(done)}")


def good(place, source):
    path = place.folder / "good"
    if source == "text":
        path.write_bytes(place.text.read_bytes())
    elif source == "tokenizer":  # llm.c's, of single bytes
        path.write_bytes(struct.pack("<256I", 20240328, 2, 257, 256, *[0] * 252) + b"".join(bytes([1, byte]) for byte in range(256)) + b"\x03end")
    elif source in ("measured", "ptx"):
        path.write_text(MEASURED if source == "measured" else ".version 8.0\n.target sm_80\n.visible .entry k(.param .u64 x) { ret; }\n")
    else:
        done = run(WRITERS[source](place, path))
        expect(done.returncode == 0, f"{source}: {said(done)}")
    return path


def read(place, name, make, source, refuses_more):
    path = good(place, source)
    done = run(make(place, path))
    expect(works(name, done), f"{name}: {said(done)}")
    if name not in NEW:
        refused(name, "nothing", run(make(place, place.folder / "nothing")), "nothing")
    folder = place.folder / "a folder"
    folder.mkdir()
    refused(name, "a folder", run(make(place, folder)), folder, "directory")
    if os.getuid() == 0:
        path.chmod(0)
        for curve in place.folder.glob("curve.*"):
            curve.unlink()
        done = as_nobody(make(place, path))
        refused(name, "may not be read", done, path, "ermission denied")
        path.chmod(0o600)
    if name not in ENDLESS:
        pipe = place.folder / "pipe"
        os.mkfifo(pipe)
        refused(name, "a pipe that nobody writes", run(make(place, pipe)), pipe)
    empty = place.folder / "empty"
    empty.touch()
    if name != "code":
        expect(run(make(place, empty)).returncode != 0, f"{name}, empty: taken")
    # A file of more than 2^30 bytes is read, whatever is found in it: behind what is good lies a hole, which takes no room.
    if refuses_more is None:
        return
    with path.open("ab") as file:
        file.truncate(LARGE)
    done = run(make(place, path))
    if refuses_more:
        refused(name, "more than 2^30 bytes", done, path)
        expect("are more than" not in done.stderr and "bad_alloc" not in done.stderr, f"{name}, more than 2^30 bytes: {said(done)}")
    else:
        expect(done.returncode == 0, f"{name}, more than 2^30 bytes: {said(done)}")


def main():
    only = sys.argv[4:]
    for table, attempt in ((WRITERS, write), (READERS, read)):
        for name, row in table.items():
            if only and name not in only:
                continue
            with tempfile.TemporaryDirectory(prefix="adjoint-files-") as folder:
                before = len(failures)
                attempt(Place(folder), name, *(row if isinstance(row, tuple) else (row,)))
                print(f"{'written' if attempt is write else 'read   '}  {'FAILED' if len(failures) > before else 'ok    '}  {name}", flush=True)
    print(f"{tried} checks, {len(failures)} failed")
    return 1 if failures or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
