"""Places of Python sources that can be changed, and the changes: rules on the syntax tree.

Annotations, strings and what stands in them, decorators, conditions on `__name__` and TYPE_CHECKING, and assignments outside of functions stay as they are: what
they change is seen by the first import, or by no program. A change leaves the number of lines as it is.
"""
import ast
import bisect
import io
import re
import tokenize

from mutate import ARITHMETIC, BOUNDARY, FLIPPED, Mutant

COMPARISON = {**FLIPPED, "is": "is not", "is not": "is", "in": "not in", "not in": "in"}
OPERATORS = {**ARITHMETIC, "//": "*", "**": "*", "@": "*"}
EXTREMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Finder(ast.NodeVisitor):
    def __init__(self, file, text):
        self.file, self.text, self.found, self.functions = file, text, [], 0
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        # (start, end, text) of operators and words, without comments and blanks
        self.tokens = [(self.starts[t.start[0] - 1] + t.start[1], self.starts[t.end[0] - 1] + t.end[1], t.string)
                       for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type in (tokenize.OP, tokenize.NAME)]
        self.begins = [start for start, _, _ in self.tokens]

    def offset(self, line, column):
        """A place of the syntax tree, whose columns are bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node):
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def between(self, left, right, table):
        """(start, end, text) of the operator between two operands; parentheses may stand there too."""
        first, last = self.span(left)[1], self.span(right)[0]
        inside = [token for token in self.tokens[bisect.bisect_left(self.begins, first):bisect.bisect_left(self.begins, last)] if token[2] not in "()"]
        if inside and (name := " ".join(token[2] for token in inside)) in table:
            return inside[0][0], inside[-1][1], name
        return None

    def add(self, kind, start, end, new):
        line = bisect.bisect_right(self.starts, start)
        old = self.text[start:end]
        new += "\n" * (old.count("\n") - new.count("\n"))
        self.found.append(Mutant(self.file, kind, line, start - self.starts[line - 1] + 1, start, end, old, new))

    def operand(self, node):
        """The text of an expression, in one line and in parentheses."""
        start, end = self.span(node)
        return start, end, self.text[start:end]

    def negate(self, test):
        start, end, inner = self.operand(test)
        self.add("condition", start, end, f"not ({inner})")

    # Expressions.

    def visit_Compare(self, node):
        for left, right in zip([node.left, *node.comparators], node.comparators):
            if found := self.between(left, right, COMPARISON):
                start, end, name = found
                if name in BOUNDARY:
                    self.add("boundary", start, end, BOUNDARY[name])
                self.add("comparison", start, end, COMPARISON[name])
        self.generic_visit(node)

    def visit_BinOp(self, node):
        texts = any(isinstance(side, ast.JoinedStr) or isinstance(side, ast.Constant) and isinstance(side.value, (str, bytes)) for side in (node.left, node.right))
        if not texts and (found := self.between(node.left, node.right, OPERATORS)):
            self.add("arithmetic", found[0], found[1], OPERATORS[found[2]])
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        for left, right in zip(node.values, node.values[1:]):
            if found := self.between(left, right, ("and", "or")):
                self.add("logic", found[0], found[1], "or" if found[2] == "and" else "and")
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            start = self.span(node)[0]
            self.add("condition", start, start + len("not"), "not not")
        self.generic_visit(node)

    def visit_Constant(self, node):
        start, end, old = self.operand(node)
        if isinstance(node.value, bool):
            self.add("constant", start, end, str(not node.value))
        elif isinstance(node.value, (int, float)):
            self.add("constant", start, end, f"({old} + 1)")
            if node.value:
                self.add("constant", start, end, f"({old} - 1)")

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in EXTREMES:
            self.add("extremes", *self.span(node.func), EXTREMES[node.func.id])
        self.generic_visit(node)

    def visit_JoinedStr(self, node):
        pass  # older versions of Python do not say where its parts stand

    def visit_IfExp(self, node):
        self.negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node):
        for test in node.ifs:
            self.negate(test)
        self.generic_visit(node)

    # Statements.

    def visit_If(self, node):
        if re.search(r"__name__|TYPE_CHECKING", ast.unparse(node.test)):
            return
        self.negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node):
        self.visit_If(node)

    def without(self, node):
        if self.functions:
            self.add("statement", *self.span(node), "pass")

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Call):
            self.without(node)
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_Assign(self, node):
        self.without(node)
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        if node.value:
            self.visit(node.value)

    def visit_AugAssign(self, node):
        if found := self.between(node.target, node.value, ("+=", "-=", "*=", "/=", "//=", "|=", "&=", "^=", "<<=", ">>=")):
            self.add("accumulate", found[0], found[1], "=")
        self.without(node)
        self.generic_visit(node)

    def visit_Raise(self, node):
        self.without(node)
        self.generic_visit(node)

    def visit_Break(self, node):
        self.without(node)

    def visit_Continue(self, node):
        self.without(node)

    def visit_Delete(self, node):
        self.without(node)

    def visit_FunctionDef(self, node):
        self.functions += 1
        for default in [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]:
            self.visit(default)
        for statement in node.body:
            self.visit(statement)
        self.functions -= 1

    def visit_AsyncFunctionDef(self, node):
        self.visit_FunctionDef(node)

    def visit_ClassDef(self, node):
        for statement in node.body:
            self.visit(statement)


def mutants_of(file, text):
    """Every mutant of a source text, in the order of the places."""
    finder = Finder(file, text)
    finder.visit(ast.parse(text))
    return sorted(finder.found, key=lambda m: (m.start, m.kind, m.new))
