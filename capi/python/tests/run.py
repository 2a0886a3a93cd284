#!/usr/bin/env python3
"""Runs the tests of the package: run.py [--failfast] [TEST ...]. Those of torch and cupy are skipped where these are missing.

The library is the one that ADJOINT_LIBRARY names, or what the package finds by itself. Exit status 77: numpy is not installed."""
import pathlib
import sys
import unittest
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent


def main():
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("skipped: numpy is not installed")
        return 77
    if "--installed" in sys.argv:
        sys.argv.remove("--installed")
    else:
        sys.path.insert(0, str(HERE.parent))
    sys.path.insert(0, str(HERE))
    loader = unittest.TestLoader()
    names = [word for word in sys.argv[1:] if word != "--failfast"]
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE), pattern="test_*.py", top_level_dir=str(HERE))
    result = unittest.TextTestRunner(verbosity=1, failfast="--failfast" in sys.argv).run(suite)
    for reason, count in sorted(Counter(reason for _, reason in result.skipped).items()):
        print(f"skipped {count} tests: {reason}")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
