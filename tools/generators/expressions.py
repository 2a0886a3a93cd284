"""The expressions of the annotations in the headers: what they may say, and what they are in C++. README.md beside this file has the grammar.

A name is resolved by a Scope: a field of the descriptor, a value of an enumeration that it is compared with, an element type, or an ADJ_LET
of the header, whose expression takes its place."""
import re

TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(==|!=|<=|>=|&&|\|\||[-+*/%<>!?:(),\[\]]))")
TYPES = "f32 f64 f16 bf16 f8_e4m3 f8_e5m2 i8 i16 i32 i64 u8 u16 u32 u64 bool".split()
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
NUMBERS = ("integer", "real", "condition")
COMPUTED = "computed"  # the shape of an argument that an operator works out by hand


class Wrong(Exception):
    """What is wrong with an expression; the reader adds the place."""


# name: (kinds of the parameters, least number of them, kind of the result); "numbers" is an integer for each tensor of a list
FUNCTIONS = {
    "accumulator": (("type",), 1, "type"),
    "broadcast": (("shape", "shape"), 2, "shape"),
    "ceil_div": (("integer", "integer"), 2, "integer"),
    "count": (("axes",), 1, "integer"),
    "extent": (("shape", "integer"), 2, "integer"),
    "part": (("shape", "integer", "integer"), 2, "shape"),
    "product": (("shape", "integer", "integer"), 1, "integer"),
    "replaced": (("shape", "integer", "integer"), 3, "shape"),
    "sum": (("numbers",), 1, "integer"),
}


class Node:
    """op: number, name, call, shape, or an operator; parts: a value, or the nodes below."""

    def __init__(self, op, *parts):
        self.op, self.parts = op, parts


class Parser:
    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise Wrong(f"cannot read '{text[at:].strip()}'")
            self.tokens.append(match[0].strip())
            at = match.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, *allowed):
        token = self.peek()
        if token is None or (allowed and token not in allowed):
            raise Wrong(f"expected {' or '.join(allowed) or 'more'}, found {token or 'the end'}")
        self.at += 1
        return token

    def list(self, end):
        items = []
        while self.peek() != end:
            if items:
                self.take(",")
            items.append(self.expression())
        if end:
            self.take(end)
        return items

    def expression(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take()
        chosen = self.expression()
        self.take(":")
        return Node("?", condition, chosen, self.expression())

    LEVELS = (("||",), ("&&",), COMPARISONS, ("+", "-"), ("*", "/", "%"))

    def binary(self, level):
        if level == len(self.LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in self.LEVELS[level]:
            operator = self.take()
            left = Node(operator, left, self.binary(level + 1))
            if operator in COMPARISONS:
                break
        return left

    def unary(self):
        if self.peek() in ("!", "-"):
            return Node("not" if self.take() == "!" else "negative", self.unary())
        token = self.take()
        if token.isdigit():
            return Node("number", int(token))
        if token == "(":
            inner = self.expression()
            self.take(")")
            return inner
        if token == "[":
            return Node("shape", *self.list("]"))
        if not re.match(r"[A-Za-z_]", token):
            raise Wrong(f"found {token} where a value is expected")
        if self.peek() == "(":
            self.take()
            return Node("call", token, *self.list(")"))
        return Node("name", token)


def parse(text):
    """The expressions of a list separated by commas."""
    return Parser(text).list(None)


def split_list(text):
    """The text of each expression of a list."""
    parts, depth = [""], 0
    for c in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


class Scope:
    """Names that an expression of one operator may use. fields: {name: (kind, member)}, with the kinds of Typed; lets: {name: Node};
    zero_is: {field: the field whose type a type of 0 stands for}; choices: {field: {word: enumerator}}; counts: {list: its count}."""

    def __init__(self, fields, lets, zero_is, choices, counts):
        self.fields, self.lets, self.zero_is, self.choices, self.counts = fields, lets, zero_is, choices, counts


class Typed:
    """An expression with its kind (integer, real, condition, type, shape, axes or enumeration), and C++ for it. `each`: there is a value for
    each tensor of this list, and the C++ uses the index `i`. `shape` lists the Typed items of a shape that is written out."""

    def __init__(self, kind, cpp, each=None, items=None, name=None):
        self.kind, self.cpp, self.each, self.items, self.name = kind, cpp, each, items, name


def typed(node, scope):
    return Checker(scope).value(node)


def condition(node, scope):
    return Checker(scope).condition(node)


class Checker:
    def __init__(self, scope):
        self.scope, self.within = scope, []

    def value(self, node):
        if node.op == "number":
            return Typed("integer", str(node.parts[0]))
        if node.op == "name":
            return self.name(node.parts[0])
        if node.op == "call":
            return self.call(*node.parts)
        if node.op == "shape":
            items = [self.value(item) for item in node.parts]
            for item in items:
                if item.kind not in ("integer", "shape"):
                    raise Wrong(f"a shape cannot have a {item.kind}")
            return Typed("shape", "Dims()" + "".join(f".add({i.cpp})" for i in items), self.common(items), items)
        if node.op == "not":
            return Typed("condition", f"!{self.condition(node.parts[0]).cpp}")
        if node.op == "negative":
            return Typed("integer", f"-{self.kind(node.parts[0], 'integer').cpp}")
        if node.op in ("&&", "||"):
            return Typed("condition", f"({self.condition(node.parts[0]).cpp} {node.op} {self.condition(node.parts[1]).cpp})")
        if node.op == "?":
            return self.choice(*node.parts)
        if node.op in COMPARISONS:
            return self.comparison(node.op, *node.parts)
        left, right = self.kind(node.parts[0], "integer"), self.kind(node.parts[1], "integer")
        each = self.common((left, right))
        functions = {"/": "quotient", "%": "remainder"}
        made = f"{functions[node.op]}({left.cpp}, {right.cpp})" if node.op in functions else f"({left.cpp} {node.op} {right.cpp})"
        return Typed("integer", made, each)

    def common(self, values):
        each = {v.each for v in values if v.each}
        if len(each) > 1:
            raise Wrong(f"the lists {' and '.join(sorted(each))} together")
        return each.pop() if each else None

    def kind(self, node, kind):
        found = self.value(node)
        if found.kind == "condition" and kind == "integer":
            return found
        if found.kind != kind:
            raise Wrong(f"{found.name or 'an operand'} is of the kind {found.kind}, expected {kind}")
        return found

    def name(self, name):
        scope = self.scope
        if name in scope.fields:
            kind, cpp = scope.fields[name]
            if kind == "type":
                while name in scope.zero_is:
                    name = scope.zero_is[name]
                    cpp = f"either({cpp}, {scope.fields[name][1]})"
            if kind == "numbers":
                return Typed("integer", f"{cpp}[i]", each=name, name=name)
            if kind in ("text", "pointer"):
                raise Wrong(f"{name} has no value that an expression can use")
            return Typed(kind, cpp, name=name)
        if name in scope.lets:
            if name in self.within:
                raise Wrong(f"{name} is defined by itself")
            self.within.append(name)
            found = self.value(scope.lets[name])
            self.within.pop()
            return Typed(found.kind, found.cpp, found.each, found.items, name)
        if name in TYPES:
            return Typed("type", f"ADJ_{name.upper()}", name=name)
        raise Wrong(f"{name} is no field of the descriptor, no element type and no ADJ_LET")

    def call(self, name, *arguments):
        if name not in FUNCTIONS:
            raise Wrong(f"there is no function {name}; there are {', '.join(FUNCTIONS)}")
        kinds, least, result = FUNCTIONS[name]
        if not least <= len(arguments) <= len(kinds):
            raise Wrong(f"{name} takes {least if least == len(kinds) else f'{least} to {len(kinds)}'} arguments, found {len(arguments)}")
        if kinds == ("numbers",):
            found = self.value(arguments[0])
            if not found.each:
                raise Wrong(f"{name} takes a list")
            return Typed(result, f"{name}_of({self.scope.counts[found.each]}, [&](std::int64_t i) {{ return {found.cpp}; }})")
        values = [self.kind(a, kind) for a, kind in zip(arguments, kinds)]
        each = self.common(values)
        if each and result != "integer":
            raise Wrong(f"{name} takes no list")
        made = [f"{v.cpp}.count" if v.kind == "axes" else v.cpp for v in values]
        return Typed(result, made[0] if name == "count" else f"{name}_of({', '.join(made)})", each)

    def condition(self, node):
        found = self.value(node)
        if found.kind == "condition":
            return found
        if found.kind in ("integer", "type", "real") and not found.each:
            return Typed("condition", f"({found.cpp} != 0)", name=found.name)
        raise Wrong(f"{found.name or 'an operand'} is of the kind {found.kind}, expected a condition")

    def choice(self, which, chosen, other):
        which, chosen, other = self.condition(which), self.value(chosen), self.value(other)
        if chosen.kind != other.kind:
            raise Wrong(f"a choice between the kinds {chosen.kind} and {other.kind}")
        return Typed(chosen.kind, f"({which.cpp} ? {chosen.cpp} : {other.cpp})", self.common((chosen, other)))

    def comparison(self, operator, left, right):
        first = self.value(left)
        if first.kind == "enumeration":
            words = self.scope.choices[first.name]
            if operator not in ("==", "!=") or right.op != "name" or right.parts[0] not in words:
                raise Wrong(f"{first.name} is compared by == or != with one of {', '.join(words)}")
            return Typed("condition", f"({first.cpp} {operator} {words[right.parts[0]]})")
        second = self.value(right)
        for value in (first, second):
            if value.kind not in NUMBERS and (value.kind != "type" or operator not in ("==", "!=")) or value.each:
                raise Wrong(f"{value.name or 'an operand'} cannot be compared by {operator}")
        if (first.kind == "type") != (second.kind == "type"):
            raise Wrong("a type is compared with a type")
        return Typed("condition", f"({first.cpp} {operator} {second.cpp})")
