"""What tests in Python that are programs share: check() counts and prints what is wrong, finish() ends the test."""
import sys

_failures = 0


def check(right, what):
    """Prints what is wrong, unless it is right."""
    global _failures
    if not right:
        _failures += 1
        print(f"FAIL: {what}")


def finish():
    """Ends the program, with the exit status 1 when a check failed."""
    sys.exit(_failures > 0)
