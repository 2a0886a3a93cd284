#!/usr/bin/env python3
"""Writes what is compiled into binaries of Adjoint as CycloneDX 1.6: sbom.py OUTPUT PART...

PART is library, command, adapters or wheel, which is what a wheel has beyond library and adapters. Names and licences are those of components.tsv, versions those
of this machine: pkg-config's, the running Python's packages, and gcc's. The file is the same when it is written again: it has no time and no serial number."""
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ["library", "command", "adapters", "wheel"]


def rows():
    head, *lines = (line.split("\t") for line in (HERE / "components.tsv").read_text(encoding="utf-8").splitlines())
    return [dict(zip(head, line)) for line in lines]


def version_of(how):
    """The version of a component on this machine, or None."""
    kind, _, name = how.partition(" ")
    if kind == "python":
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return None
    command = ["pkg-config", "--modversion", name] if kind == "pkg-config" else ["gcc", "-dumpfullversion"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def component(name, version, licence, purl):
    return {"type": "library", "bom-ref": name, "name": name, "version": version, "licenses": [{"expression": licence}], "purl": f"{purl}@{version}"}


def bill(parts):
    own = re.search(r"^  version: '([^']+)'", (HERE.parents[1] / "meson.build").read_text(encoding="utf-8"), re.M)[1]
    inside = [component(row["name"], version_of(row["version"]), row["licence"], row["purl"]) for row in rows() if set(row["in"].split()) & set(parts)]
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": component("adjoint", own, "Apache-2.0", "pkg:pypi/adjoint")}, "components": inside,
            "dependencies": [{"ref": "adjoint", "dependsOn": [each["bom-ref"] for each in inside]}]}


def main():
    parts = sys.argv[2:]
    if not parts or not set(parts) <= set(PARTS):
        sys.exit(f"sbom.py: parts are {', '.join(PARTS)}, got '{' '.join(parts)}'")
    made = bill(parts)
    unknown = [each["name"] for each in made["components"] if not each["version"]]
    if unknown:
        sys.exit(f"sbom.py: the version of {', '.join(unknown)} is not to be found on this machine")
    pathlib.Path(sys.argv[1]).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
