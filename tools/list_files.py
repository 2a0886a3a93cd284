"""Prints the files that match the given patterns, sorted, one a line; the patterns are relative to the source tree."""
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
print("\n".join(sorted(str(path.relative_to(root)) for pattern in sys.argv[1:] for path in root.glob(pattern))))
