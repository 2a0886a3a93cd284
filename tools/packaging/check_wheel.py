"""Checks a wheel: check_wheel.py WHEEL. Its tag, size, licences, bill of materials and protections, what auditwheel says of it, and a gradient in a fresh virtual environment with numpy."""
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import zipfile

from hardening import lacking

TAG, NEWEST_GLIBC = "manylinux_2_28_x86_64", (2, 28)
MOST_BYTES, MOST_LIBRARY_BYTES, MOST_SECONDS = 3_000_000, 5 << 20, 30

GRADIENT = """
import numpy as np, adjoint
x = np.random.default_rng(0).standard_normal((4, 10))
out, dout = adjoint.softmax(x), np.random.default_rng(1).standard_normal((4, 10))
exact = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
assert np.allclose(adjoint.softmax_backward(dout, out), exact * (dout - (dout * exact).sum(-1, keepdims=True)))
assert adjoint._library.path.startswith(__import__("sys").prefix), adjoint._library.path
"""


def main():
    wheel, failures = pathlib.Path(sys.argv[1]).resolve(), []

    def check(right, what):
        print(("" if right else "FAILED: ") + what)
        if not right:
            failures.append(what)

    check(wheel.stat().st_size <= MOST_BYTES, f"{wheel.name} has {wheel.stat().st_size} bytes, of {MOST_BYTES} at most")
    check(wheel.name.endswith(f"{TAG}.whl"), f"its tag is {wheel.name.split('-', 2)[2]}")
    libraries = {i.filename: i.file_size for i in zipfile.ZipFile(wheel).infolist() if ".so" in i.filename}
    check(set(libraries) == {f"adjoint/libadjoint{n}" for n in (".so.1", "_jax.so", "_onnxruntime.so", "_torch.so", "_tvm_ffi.so")}, f"its libraries are {', '.join(sorted(libraries))}")
    check(libraries.get("adjoint/libadjoint.so.1", MOST_LIBRARY_BYTES + 1) <= MOST_LIBRARY_BYTES, f"libadjoint.so.1 has {libraries.get('adjoint/libadjoint.so.1')} bytes")
    files = {name.rpartition("/")[2] for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" in name}
    check({"LICENSE", "THIRD_PARTY_NOTICES"} <= files, f"its licence and the notices of what is inside it: {', '.join(sorted(files))}")
    sbom = [json.loads(zipfile.ZipFile(wheel).read(name)) for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/sboms/adjoint.cdx.json")]
    inside = {each["name"] for bill in sbom for each in bill["components"]}
    check({"fmt", "libmd", "libc++", "libgcc", "jaxlib", "tvm_ffi"} <= inside, f"its bill of materials: {', '.join(sorted(inside))}")
    with tempfile.TemporaryDirectory() as directory:
        for name in libraries:
            library = zipfile.ZipFile(wheel).extract(name, directory)
            missing = lacking(library, stacks=name.endswith("libadjoint.so.1"))
            check(not missing, f"{name} is hardened{': ' * bool(missing)}{'; '.join(missing)}")
            if name.endswith("libadjoint.so.1"):  # zig has an exp and a log of its own, with other bits
                symbols = subprocess.run(["readelf", "-W", "--dyn-syms", library], capture_output=True, text=True).stdout
                check(all(re.search(rf" UND {function}@", symbols) for function in ("exp", "log", "expl")), f"{name} takes exp and log from the C library")
    shown = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True).stdout
    glibc = max((tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([\d.]+)", shown)), default=(9, 9))
    check(glibc <= NEWEST_GLIBC, f"it needs glibc {'.'.join(map(str, glibc))}")
    check("libstdc++" not in shown and "GLIBCXX" not in shown, "it needs no libstdc++")
    with tempfile.TemporaryDirectory() as directory:
        environment = pathlib.Path(directory) / "fresh"
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([environment / "bin/pip", "install", "-q", "numpy", wheel], check=True)
        done = subprocess.run([environment / "bin/python", "-I", "-c", GRADIENT], cwd=directory)
        seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    check(done.returncode == 0, "a gradient in a fresh environment")
    check(seconds <= MOST_SECONDS, f"{seconds:.1f} s after the beginning of its installation, of {MOST_SECONDS} at most; processor time {processor:.1f} s")
    return len(failures)


if __name__ == "__main__":
    sys.exit(main() > 0)
