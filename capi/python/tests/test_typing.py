"""Types: mypy on a sample program, and the stubs beside the functions that they describe."""
import ast
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import adjoint
from adjoint import functional, ops

HERE, PACKAGE = pathlib.Path(__file__).resolve().parent, pathlib.Path(adjoint.__file__).resolve().parent


class Types(unittest.TestCase):
    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
    def test_sample(self):
        sample = HERE / "typed_sample.py"
        with tempfile.TemporaryDirectory() as cache:
            found = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", cache, "--hide-error-context", str(sample)], capture_output=True, text=True,
                                   cwd=HERE, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)}).stdout
        expected = {i: line.partition("# E: ")[2] for i, line in enumerate(sample.read_text(encoding="utf-8").splitlines(), 1) if "# E: " in line}
        errors = dict((int(number), text) for number, text in re.findall(r"typed_sample\.py:(\d+): error: (.*)", found))
        self.assertEqual(set(errors), set(expected), found)
        for number, text in expected.items():
            self.assertIn(text, errors[number])
        self.assertEqual([line for line in found.splitlines() if ": error:" in line and "typed_sample.py" not in line], [])

    def test_everything_is_annotated(self):
        """What a program calls has types for parameters and results, where no stub has them: else mypy takes it for Any."""
        import inspect
        found = [adjoint.AdamW, adjoint.Plan, adjoint.Stream, adjoint.Preference, adjoint.select, adjoint.explain, adjoint.op, adjoint.operators, adjoint.arguments,
                 adjoint.describe, adjoint.sku, adjoint.skus, adjoint.kernel, adjoint.devices, adjoint.libraries, adjoint.library_version, adjoint.forget_plans]
        try:
            import adjoint.torch as adj
            found += [getattr(adj, name) for name in adj.__all__ if name != "GRADIENTS"]
        except ImportError:
            pass
        for value in found:
            own = [m.__func__ if isinstance(m, classmethod) else m for n, m in vars(value).items() if n == "__new__" or n == "__init__" and value is not adjoint.Plan
                   and value is not adjoint.Stream or not n.startswith("_")] if inspect.isclass(value) else [value]
            for function in filter(inspect.isfunction, own):
                parameters = inspect.signature(function).parameters
                bare = [n for n, p in parameters.items() if n not in ("self", "cls") and p.annotation is p.empty]
                with self.subTest(f"{value.__name__}.{function.__name__}"):
                    self.assertEqual(bare, [])
                    self.assertIn("return", function.__annotations__)

    def stubs(self, name):
        """The names of the parameters of every function of a stub, and which of them are by keyword."""
        module = ast.parse((PACKAGE / f"{name}.pyi").read_text(encoding="utf-8"))
        return {d.name: ([a.arg for a in d.args.args], {a.arg for a in d.args.kwonlyargs}) for d in module.body
                if isinstance(d, ast.FunctionDef) and d.decorator_list}

    def test_stubs(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        for module, names in ((ops, dir(ops)), (functional, functional.__all__)):
            stubs = self.stubs(module.__name__.rpartition(".")[2])
            self.assertEqual(set(stubs), set(names))
            for name, (positional, keywords) in stubs.items():
                parameters = getattr(module, name).__signature__.parameters.values()
                with self.subTest(name):
                    self.assertEqual(positional, [p.name for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD])
                    self.assertEqual(keywords, {p.name for p in parameters if p.kind == p.KEYWORD_ONLY})


if __name__ == "__main__":
    unittest.main()
