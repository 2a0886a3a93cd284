"""What packages and hosts of repositories read: packaging_test.py ROOT. The version, notices of what is compiled in, and the files of .github."""
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, finish  # noqa: E402

ROOT = pathlib.Path(sys.argv[1]).resolve()
OF_THE_SYSTEM = {"threads", "dl", "boost"}  # Boost.Context is of the tests alone


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def commit_of(tree):
    return subprocess.run([sys.executable, tree / "tools/commit.py"], check=True, capture_output=True, text=True).stdout.strip()


def git(tree, *words):
    subprocess.run(["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)


# One source of the version. tools/generate.py --check, another test, holds the files that it writes to it.
version = re.search(r"^  version: '([^']+)'", text_of("meson.build"), re.M)[1]
package, crate = text_of("capi/python/pyproject.toml"), text_of("capi/rust/Cargo.toml")
check('dynamic = ["version"]' in package and not re.search(r"^version", package, re.M), "pyproject.toml states a version of its own")
check(f'version = "{version.replace(".dev", "-dev")}"' in crate, f"Cargo.toml has not the version {version}")
check(f"The version is {version}" in text_of("README.md") and version in text_of(".github/CHANGELOG.md"), f"README.md or CHANGELOG.md has not the version {version}")

# The commit behind it: of this checkout alone.
with tempfile.TemporaryDirectory() as folder:
    outer, tree = pathlib.Path(folder), pathlib.Path(folder, "adjoint")
    (tree / "tools").mkdir(parents=True)
    script = tree / "tools/commit.py"
    script.write_text(text_of("tools/commit.py"))
    check(commit_of(tree) == "", "an unpacked archive has a commit")
    git(outer, "init", "-q")
    git(outer, "add", ".")
    git(outer, "commit", "-q", "-m", "outer")
    check(commit_of(tree) == "", "an archive inside another repository has that one's commit")
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "inner")
    for own, wanted in (("1.0.0", '""'), ("1.0.1.dev0", f'"{commit_of(tree)}"')):
        subprocess.run([sys.executable, script, outer / "commit.h", own], check=True)
        check((outer / "commit.h").read_text() == f"#define ADJ_LIBRARY_COMMIT {wanted}\n", f"version {own} has {(outer / 'commit.h').read_text()!r}")
    git(tree, "tag", "v1")  # a version has a commit and no name of a tag
    check(re.fullmatch(r"\+g[0-9a-f]{12}", commit_of(tree)), f"the commit of a checkout: {commit_of(tree)}")
    script.write_text(text_of("tools/commit.py") + "\n")
    check(re.fullmatch(r"\+g[0-9a-f]{12}\.dirty", commit_of(tree)), f"the commit of a changed checkout: {commit_of(tree)}")

# Notices of all that is compiled in, and the licence in every package.
notices = text_of("tools/packaging/THIRD_PARTY_NOTICES")
headings = " ".join(re.findall(r"^(.+)\n=+$", notices, re.M))
asked = {name for file in ("meson.build", "tools/meson.build") for name in re.findall(r"(?:[^_]dependency|find_library)\('(\w+)'", text_of(file))}
check(asked >= {"fmt", "md", "CLI11", "nlohmann_json"}, f"dependencies are found wrongly: {asked}")
for name in asked - OF_THE_SYSTEM:
    check(re.search(rf"\b{name}\b", headings), f"tools/packaging/THIRD_PARTY_NOTICES has no entry for {name}")
for name in re.findall(r"print\(\"(\w+)\"", text_of("tools/packaging/adapters.py")):
    check(re.search(rf"\b{name}(lib)?\b", headings), f"tools/packaging/THIRD_PARTY_NOTICES has no entry for {name}, whose headers an adapter has")
for wanted in ("Aaron D. Gifford", "University of Cincinnati", "Niels Lohmann"):
    check(wanted in notices, f"tools/packaging/THIRD_PARTY_NOTICES does not name {wanted}")
for name, source in (("LICENSE", "LICENSE"), ("THIRD_PARTY_NOTICES", "tools/packaging/THIRD_PARTY_NOTICES")):
    check((ROOT / "capi/python" / name).resolve() == ROOT / source and f'"{name}"' in package, f"the Python package has no {name}")
    check(f"'{source}'" in re.search(r"^install_data\('LICENSE'.*$", text_of("meson.build"), re.M)[0], f"{source} is not installed")
# The bill of materials has what the notices have.
sys.path.insert(0, str(ROOT / "tools/packaging"))
import sbom  # noqa: E402
titles = re.findall(r"^(.+)\n=+$", notices, re.M)
components = {row["name"]: row for row in sbom.rows()}
for name, row in components.items():
    check(sum(bool(re.search(rf"(?<!\w){re.escape(name)}(?![\w+])", title)) for title in titles) == 1, f"THIRD_PARTY_NOTICES has not one entry for {name} of components.tsv")
    check(set(row["in"].split()) <= set(sbom.PARTS) and row["purl"].startswith("pkg:"), f"components.tsv: {row}")
for title in titles:
    check(any(re.search(rf"(?<!\w){re.escape(name)}(?![\w+])", title) for name in components), f"components.tsv has no row for '{title}'")
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder, "sbom.json")
    command = [sys.executable, "-B", ROOT / "tools/packaging/sbom.py", file]
    subprocess.run([*command, "library", "command"], check=True)
    made = json.loads(file.read_text())
    check(made == sbom.bill(["library", "command"]) and made["bomFormat"] == "CycloneDX" and made["metadata"]["component"]["version"] == version, "the bill of materials is another")
    check([each["name"] for each in made["components"]] == made["dependencies"][0]["dependsOn"] == ["fmt", "libmd", "CLI11", "nlohmann_json"], f"the bill of materials has {made['components']}")
    check(all(re.match(r"\d", each["version"]) for each in made["components"]), f"a component has no version: {made['components']}")
    check(subprocess.run([*command, "everything"], capture_output=True).returncode == 1, "a part that is none is taken")

check((ROOT / "capi/rust/LICENSE").resolve() == ROOT / "LICENSE", "the crate has no licence")

# What Debian's tools read: every installed file belongs to a package, and the version is that of the tree.
with tempfile.TemporaryDirectory() as folder:
    tree = pathlib.Path(folder)
    (tree / "meson.build").touch()
    command = [sys.executable, ROOT / "tools/packaging/debian.py", tree, "--maintainer"]
    check(subprocess.run([*command, "nobody"], capture_output=True).returncode == 2 and not (tree / "debian").exists(), "a maintainer without an address is taken")
    subprocess.run([*command, "A B <a@example.org>"], check=True)
    first = (tree / "debian/changelog").read_text().splitlines()[0]
    check(first.startswith(f"adjoint ({version.replace('.dev', '~dev')}-1) "), f"Debian's version is {first}")
    packages = set(re.findall(r"^Package: (\S+)", (tree / "debian/control").read_text(), re.M))
    check(packages == {path.stem for path in (tree / "debian").glob("*.install")}, f"packages of Debian: {packages}")
    check(notices in (tree / "debian/copyright").read_text(), "Debian's copyright lacks notices")

# Recipes of vcpkg and conda: the version of the tree, files that are there, and what the port asks of vcpkg.
port = ROOT / "tools/packaging/vcpkg/adjoint"
manifest = json.loads((port / "vcpkg.json").read_text(encoding="utf-8"))
check(manifest["version-string"] == version and set(manifest["features"]) == {"tools"}, f"the port of vcpkg: {manifest}")
COMMANDS = ["configure_meson", "install_meson", "fixup_pkgconfig", "cmake_config_fixup", "copy_tools", "install_copyright"]
STUBS = "".join(f'function(vcpkg_{name})\n  message(STATUS "vcpkg_{name} ${{ARGN}}")\nendfunction()\n' for name in COMMANDS) + """\
set(CURRENT_PACKAGES_DIR "FOLDER/packages")
set(PORT adjoint)
function(vcpkg_check_features)
  set(ADJOINT_TOOLS ${WITH_TOOLS} PARENT_SCOPE)
endfunction()
include("PORT/portfile.cmake")
"""
CONFIG = """\
cmake_minimum_required(VERSION 3.18)
project(user NONE)
find_package(adjoint REQUIRED CONFIG PATHS "${CMAKE_CURRENT_LIST_DIR}/prefix" NO_DEFAULT_PATH)
get_target_property(library adjoint::adjoint IMPORTED_LOCATION)
get_target_property(headers adjoint::adjoint INTERFACE_INCLUDE_DIRECTORIES)
if(NOT EXISTS "${library}" OR NOT EXISTS "${headers}/adjoint.h")
  message(FATAL_ERROR "${library} ${headers}")
endif()
"""
if not shutil.which("cmake"):
    check(False, "the port of vcpkg is not tried, for want of cmake")
else:
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "port.cmake")
        script.write_text(STUBS.replace("FOLDER", folder).replace("PORT/", f"{port}/"))
        for tools in ("ON", "OFF"):
            done = subprocess.run(["cmake", f"-DWITH_TOOLS={tools}", "-P", script], capture_output=True, text=True)
            said = done.stdout + done.stderr
            check(done.returncode == 0 and f"-Dtests=false;-Dtools={'true' if tools == 'ON' else 'false'}" in said and ("vcpkg_copy_tools" in said) == (tools == "ON"), f"the port of vcpkg: {said}")
            source = pathlib.Path(re.search(r"SOURCE_PATH;([^;]+);", said)[1])
            check(source == ROOT and all((source / file).is_file() for file in ("LICENSE", "tools/packaging/THIRD_PARTY_NOTICES")), f"the port builds {source}")
        # The package for CMake, where an installation has it and where vcpkg moves it.
        for place in ("lib/cmake/adjoint", "share/adjoint"):
            prefix = pathlib.Path(folder, place.replace("/", "-"), "prefix")
            for name in ("lib/libadjoint.so.1.0.0", "include/adjoint.h", f"{place}/adjointConfig.cmake"):
                (prefix / name).parent.mkdir(parents=True, exist_ok=True)
                (prefix / name).touch()
            (prefix / place / "adjointConfig.cmake").write_text(text_of("tools/packaging/adjointConfig.cmake.in").replace("@abi@", "1"))
            (prefix.parent / "CMakeLists.txt").write_text(CONFIG)
            done = subprocess.run(["cmake", "-S", prefix.parent, "-B", prefix.parent / "build"], capture_output=True, text=True)
            check(done.returncode == 0, f"{place}: {done.stderr}")

# What a host of repositories reads.
if importlib.util.find_spec("yaml") is None:
    check(False, "the files of .github are not read, for want of python3-yaml")
else:
    import yaml
    recipe = yaml.safe_load(text_of("tools/packaging/conda/recipe.yaml"))
    check(recipe["context"]["version"] == version and (ROOT / "tools/packaging/conda" / recipe["source"]["path"]).resolve() == ROOT, "the recipe of conda is of another version or place")
    check(all((ROOT / file).is_file() for file in recipe["about"]["license_file"]), "the recipe of conda names a licence that is not there")
    outputs = {output["package"]["name"]: output for output in recipe["outputs"]}
    asks = {name.split()[0] for name in outputs["libadjoint"]["requirements"]["host"]}
    check(asks == {"fmt", "libmd", "cli11", "nlohmann_json"} and set(outputs) == {"libadjoint", "adjoint"}, f"the recipe of conda has {asks} and {set(outputs)}")
    read = {path.relative_to(ROOT).as_posix(): yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted((ROOT / ".github").rglob("*"))
            if path.suffix in (".yml", ".yaml", ".cff")}
    check(len(read) >= 5, f"files of .github: {', '.join(read)}")
    for name, data in read.items():
        if name.startswith(".github/workflows/"):
            jobs = data["jobs"].values()
            check(True in data and all("runs-on" in job and job["steps"] for job in jobs), f"{name} has no events or a job without steps")  # YAML 1.1 reads `on` as true
            runs = [(entry["image"], entry["command"]) for job in jobs for entry in job["strategy"]["matrix"]["include"]]
            for image in ("debian:", "ubuntu:"):
                check({"tools/dev demo", "tools/dev test"} <= {command for of, command in runs if of.startswith(image)}, f"{name} does not run both commands on {image[:-1]}")
        elif name.startswith(".github/ISSUE_TEMPLATE/") and not name.endswith("config.yml"):
            kinds = {"textarea": "label", "input": "label", "dropdown": "label", "checkboxes": "label", "markdown": "value"}
            check(all(data.get(key) for key in ("name", "description", "body")), f"{name} has no name, description or body")
            check(all(part["type"] in kinds and kinds[part["type"]] in part["attributes"] for part in data["body"]), f"{name} has a part that is no part of a form")
        elif name.endswith(".cff"):
            check({"cff-version", "message", "title", "authors"} <= set(data), f"{name} lacks a field that every citation has")
finish()
