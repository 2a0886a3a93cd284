"""Several devices, streams and captures, on the driver of tests/faults with stand-ins for torch and cupy. Nothing is computed."""
import os
import pathlib
import subprocess
import sys
import unittest

from adjoint import _library

HERE = pathlib.Path(__file__).resolve().parent
FAKES = pathlib.Path(os.environ.get("ADJOINT_TEST_FAKES") or pathlib.Path(_library.path).resolve().parent / "tests/faults")


class Devices(unittest.TestCase):
    def test_two_devices(self):
        fakes = {f"ADJOINT_LIB{name.upper()}": FAKES / f"libfake_{name}.so" for name in ("cuda", "nvrtc")}
        for path in fakes.values():
            if not path.exists():
                self.skipTest(f"{path} is not there; ninja -C build tests/faults/{path.name} makes it, ADJOINT_TEST_FAKES names its directory")
        package = pathlib.Path(_library.__file__).resolve().parent.parent
        environment = {**os.environ, **{name: str(path) for name, path in fakes.items()}, "ADJOINT_CACHE_DIR": "", "ADJOINT_LIBRARY": _library.path,
                       "PYTHONPATH": os.pathsep.join([str(package), str(HERE)])}
        done = subprocess.run([sys.executable, "-B", str(HERE / "devices_case.py")], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"Ran 2\d tests")


if __name__ == "__main__":
    unittest.main()
