"""The expressions of an operator as data, which the engine reads backwards: from the shape of an array to the fields that it follows from
(src/plan/complete.cpp). The same expressions in C++ are in expressions.py."""
from generators.expressions import COMPUTED, TYPES, Node, parse
from generators.fields import conditions

BINARY = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "&&": "both", "||": "any", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
SHAPES = ("part", "replaced", "broadcast")
NONE = "kNoTerm"


class Known:
    """A field that follows from the arguments."""

    def __init__(self, member, kind, depth):
        self.member, self.kind, self.depth = member, kind, depth


class Terms:
    """Rows of Term for the annotations of an operator's arguments, and the fields that follow from arguments."""

    def __init__(self, tree, operator):
        self.scope, self.rows, self.places = tree.scope(operator), [], {}
        members = operator.descriptor.members
        kinds = {m.name: kind for m, kind, _ in tree.fields(operator)}
        self.members = {m.name: m for m in members}
        self.lists = {count.removeprefix("d."): name for name, count in self.scope.counts.items()}
        self.within = []
        solved = set()
        self.nodes = {}
        for s in tree.arguments(operator):
            notes = s.member.notes
            mine = {note: parse(notes[note])[0] for note in ("ONLY_IF", "OPTIONAL_IF") if note in notes}
            if "OPTIONAL" in notes:
                mine["OPTIONAL_IF"] = Node("number", 1)
            if s.nodes:
                mine["type"] = s.nodes[1]
                if not (s.nodes[0].op == "name" and s.nodes[0].parts[0] == COMPUTED):
                    mine["shape"] = s.nodes[0]
            self.nodes[s.name] = mine
            for part in ("shape", "type"):
                if part in mine:
                    self.mark(mine[part], solved)
            if "ONLY_IF" in mine:
                self.mark_flags(mine["ONLY_IF"], solved)
        self.known = [Known(m, kinds[m.name], self.depth(m.name)) for m in members if m.name in solved]
        self.index = {k.member.name: i for i, k in enumerate(self.known)}
        self.folds = {k.member.name: self.folds_if(k.member) for k in self.known}
        self.of_argument = {name: {part: self.row(node) for part, node in mine.items()} for name, mine in self.nodes.items()}
        self.of_field, self.refusals = {}, []
        for i, (m, _, _) in enumerate(tree.fields(operator)):
            mine = conditions(m, self.scope)
            self.of_field[m.name] = [self.row(mine[note]) if note in mine else NONE for note in ("ONLY_IF", "TYPES")]
            self.refusals += [(i, self.row(node), words) for node, _, words in mine.get("REFUSE", [])]

    def folds_if(self, member):
        """The condition on which an extent may stand for several dimensions."""
        if "REST" in member.notes or "FOLDS" in member.notes:
            return self.add("number", 1)
        return self.row(parse(member.notes["FOLDS_IF"])[0]) if "FOLDS_IF" in member.notes else NONE

    def depth(self, name):
        return 1 + self.depth(self.scope.zero_is[name]) if name in self.scope.zero_is else 0

    def let(self, node):
        """The expression that a name stands for; the node itself when it is no ADJ_LET."""
        while node.op == "name" and node.parts[0] not in self.scope.fields and node.parts[0] in self.scope.lets:
            node = self.scope.lets[node.parts[0]]
        return node

    def mark(self, node, solved):
        """Adds the fields for which the equation `node = value` can be solved."""
        node = self.let(node)
        if node.op == "name" and node.parts[0] in self.scope.fields:
            kind = self.scope.fields[node.parts[0]][0]
            if kind in ("type", "shape", "numbers") or kind == "integer" and self.members[node.parts[0]].ctype == "int64_t" and node.parts[0] not in self.lists:
                solved.add(node.parts[0])
        elif node.op in ("+", "-", "*", "shape"):
            for part in node.parts:
                self.mark(part, solved)
        elif node.op == "/":
            self.mark(node.parts[0], solved)
        elif node.op == "?":
            self.mark(node.parts[1], solved)
            self.mark(node.parts[2], solved)

    def mark_flags(self, node, solved):
        """Adds the flags that are set where the condition holds."""
        node = self.let(node)
        if node.op == "&&":
            self.mark_flags(node.parts[0], solved)
            self.mark_flags(node.parts[1], solved)
        elif node.op == "name":
            member = self.members.get(node.parts[0])
            if member and member.ctype == "int32_t" and member.default == "0":
                solved.add(member.name)

    def add(self, op, *operands, field=-1):
        row = (op, field, *map(str, operands), *["0"] * (3 - len(operands)))
        if row not in self.places:
            self.places[row] = len(self.rows)
            self.rows.append(row)
        return self.places[row]

    def is_shape(self, node):
        node = self.let(node)
        if node.op == "?":
            return self.is_shape(node.parts[1])
        if node.op == "call":
            return node.parts[0] in SHAPES
        return node.op == "shape" or node.op == "name" and self.scope.fields.get(node.parts[0], ("",))[0] == "shape"

    def row(self, node):
        node = self.let(node)
        if node.op == "number":
            return self.add("number", *(node.parts[0] >> bits & 0xFFFF for bits in (0, 16, 32)))
        if node.op == "name":
            return self.name(node.parts[0])
        if node.op == "shape":
            rest = NONE
            for item in reversed(node.parts):
                rest = self.add("items", self.row(item), rest)
            return self.add("empty") if rest == NONE else rest
        if node.op == "not":
            return self.add("negation", self.row(node.parts[0]))
        if node.op == "negative":
            return self.add("sub", self.add("number", 0), self.row(node.parts[0]))
        if node.op == "?":
            return self.add("choose_shape" if self.is_shape(node) else "choose", *(self.row(part) for part in node.parts))
        if node.op == "call":
            name, arguments = node.parts[0], node.parts[1:]
            if name == "count":
                return self.add("i64", f"offsetof(Descriptor, {arguments[0].parts[0]})")
            return self.add(name, *(self.row(part) for part in arguments), *[NONE] * (3 - len(arguments)))
        left, right = node.parts
        words = self.scope.choices.get(left.parts[0], {}) if left.op == "name" else {}
        if right.op == "name" and right.parts[0] in words:
            return self.add(BINARY[node.op], self.row(left), self.add("number", words[right.parts[0]]))
        return self.add(BINARY[node.op], self.row(left), self.row(right))

    def name(self, name):
        if name in TYPES and name not in self.scope.fields:
            return self.add("number", f"ADJ_{name.upper()}")
        kind, field = self.scope.fields[name][0], self.index.get(self.lists.get(name, name), -1)
        offset = f"offsetof(Descriptor, {name})"
        if kind == "type":
            return self.add("type", offset, self.name(self.scope.zero_is[name]) if name in self.scope.zero_is else NONE, field=field)
        if kind == "integer":
            return self.add("i64" if self.members[name].ctype == "int64_t" else "i32", offset, field=field)
        return self.add({"enumeration": "i32", "real": "f64", "shape": "shape", "numbers": "list"}[kind], offset, field=field)


def lines_of(tree, operator, terms):
    """C++: the rows, and the fields that follow from arguments."""
    lines = []
    if terms.rows:
        lines.append("inline constexpr Term kTerms[] = {")
        lines += [f"    {{TermOp::{op}, {field}, {', '.join(str(x) for x in operands)}}}," for op, field, *operands in terms.rows]
        lines.append("};")
    if terms.known:
        lines.append("inline constexpr KnownField kKnownFields[] = {")
        lines += [f'    {{"{k.member.name}", {k.kind}, offsetof(Descriptor, {k.member.name}), {terms.folds[k.member.name]}, '
                  f'{"true" if "REST" in k.member.notes else "false"}, {k.depth}}},'
                  for k in terms.known]
        lines.append("};")
    if terms.refusals:
        lines.append("inline constexpr Refusal kRefusals[] = {")
        lines += [f'    {{{field}, {term}, "{words}"}},' for field, term, words in terms.refusals]
        lines.append("};")
    return lines
