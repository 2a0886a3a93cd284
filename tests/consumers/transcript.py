#!/usr/bin/env python3
"""The output of the command line tool, as a user sees it: transcript.py ADJOINT TRANSCRIPT [--record]

The transcript has lines `$ adjoint ...`, each followed by what standard output and standard error say, one after the other, and by [N] when the
exit code N is not 0. Run on a machine that, for the tool, has neither a GPU nor NVRTC. --record writes the file anew from its own commands."""
import difflib
import os
import shlex
import subprocess
import sys

WITHOUT = {"ADJOINT_LIBCUDA": "", "ADJOINT_LIBNVRTC": "", "ADJOINT_LIBCUDNN": "", "ADJOINT_LIBCUBLASLT": "", "ADJOINT_LIBNCCL": "", "ADJOINT_CACHE_DIR": ""}


def main():
    tool, path = os.path.abspath(sys.argv[1]), sys.argv[2]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ADJOINT_") and k not in ("NO_COLOR", "COLUMNS")} | WITHOUT
    with open(path, encoding="utf-8") as file:
        recorded = file.read()
    commands = [line[2:] for line in recorded.splitlines() if line.startswith("$ adjoint")]
    text = ""
    for command in commands:
        words = shlex.split(command)
        done = subprocess.run([tool, *words[1:]], capture_output=True, text=True, env=environment, timeout=60)
        text += f"$ {command}\n{done.stdout}{done.stderr}" + (f"[{done.returncode}]\n" if done.returncode else "") + "\n"
    if "--record" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    difference = list(difflib.unified_diff(recorded.splitlines(), text.splitlines(), "recorded", "now", lineterm=""))
    print("\n".join(difference) if difference else f"{len(commands)} commands")
    return 1 if difference or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
