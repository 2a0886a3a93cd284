"""The snippets of README.md, one after the other. Those marked py need torch and a model, and are compiled only."""
import contextlib
import io
import pathlib
import re
import unittest

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


class Readme(unittest.TestCase):
    def test_snippets(self):
        text = README.read_text(encoding="utf-8")
        found = re.findall(r"^```(python|py)\n(.*?)^```", text, re.M | re.S)
        self.assertGreater(len(found), 10)
        names = {}
        for kind, snippet in found:
            with self.subTest(snippet):
                code = compile(snippet, str(README), "exec")
                if kind == "python":
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec(code, names)

    def test_functions_are_those_of_the_package(self):
        import adjoint
        table = README.read_text(encoding="utf-8").partition("## Functions")[2].partition("`help(")[0]
        named = {n for n in re.findall(r"`(\w+)`", table) if n != "_backward"}
        for name in named:
            self.assertTrue(hasattr(adjoint, name), name)
        missing = {n for n in adjoint.functional.__all__ if not n.endswith("_backward")} - named
        self.assertEqual(missing, set())


if __name__ == "__main__":
    unittest.main()
