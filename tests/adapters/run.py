#!/usr/bin/env python3
"""Runs the tests of one adapter: run.py jax|tvm_ffi|onnxruntime [--failfast] [TEST ...]. A TEST without a module is one of test_ADAPTER.

ADJOINT_LIBRARY names the library, beside which the adapter lies; ADJOINT_TEST_CASES the file of `reflection_test --typed`; ADJOINT_TEST_FAKES the directory of
the stand-ins of tests/faults. Exit status 77: a package is not installed."""
import importlib.util
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def main():
    adapter, *names = [word for word in sys.argv[1:] if word != "--failfast"]
    for package in ("numpy", "ml_dtypes", adapter):
        if importlib.util.find_spec(package) is None:
            print(f"skipped: {package} is not installed")
            return 77
    sys.path[:0] = [str(HERE), str(HERE.parents[1] / "capi/python")]
    modules = sorted(path.stem for path in HERE.glob(f"test_{adapter}*.py"))
    suite = unittest.defaultTestLoader.loadTestsFromNames([n if n.startswith("test_") and "." in n else f"test_{adapter}.{n}" for n in names] or modules)
    result = unittest.TextTestRunner(verbosity=1, failfast="--failfast" in sys.argv).run(suite)
    for test, reason in result.skipped:
        print(f"skipped {test.id()}: {reason}")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
