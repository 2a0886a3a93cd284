"""What the library's registry says of operators of ONNX, and the check of a node against it."""
from functools import lru_cache

from . import _generated, _library
from ._generated import Status
from ._library import lib, text

# AttributeProto.AttributeType of the kinds of attributes.
KINDS = {"float": 1, "int": 2, "string": 3, "floats": 6, "ints": 7}
WORDS = {1: "a float", 2: "an int", 3: "a string", 4: "a tensor", 5: "a graph", 6: "floats", 7: "ints", 8: "strings"}


class Attribute:
    def __init__(self, words):
        self.name, self.kind, self.default, target, *rest = words
        self.required, self.refused = self.default == "required", target == "refused"
        self.only = rest[0].split(",") if target == "only" else []
        self.rewritten = target == "rewrite"
        self.type_of = target[1:] if target.startswith(":") else None  # the variable of the outputs' type


class Port:
    def __init__(self, words):
        name = words[1]
        self.name, self.optional, self.variadic = name.rstrip("?*"), name.endswith("?"), name.endswith("*")
        self.type, self.sequence, self.group = words[2], "sequence" in words, "group" in words
        self.without = words[words.index("without") + 1].split("=") if "without" in words else None  # attribute and its value where the input is absent


class Binding:
    """The first stanza of an operator: the one of the operator itself."""

    def __init__(self, lines, session, obstacle):
        self.session, self.obstacle = session, obstacle
        self.inputs, self.outputs, self.attributes, self.variables = [], [], {}, set()
        for line in lines:
            words = line.split()
            if words[0] in ("in", "out"):
                (self.inputs if words[0] == "in" else self.outputs).append(Port(words))
            elif words[0] == "attr":
                self.attributes[words[1]] = Attribute(words[1:])
            elif words[0] in ("types", "also"):
                self.variables.update(words[1:] if words[0] == "types" else words[1:2])

    def groups(self, node):
        """How often the ports of a group occur in a node: inputs, outputs. The last group may lack its last ones."""
        return tuple(-(-(len(names) - len(ports) + sum(p.group for p in ports)) // max(1, sum(p.group for p in ports)))
                     for ports, names in ((self.inputs, node.input), (self.outputs, node.output)))

    @property
    def told(self):
        """The output whose type no input has, both being always there, or None. The session cannot infer it, so the name of the operator has to say it."""
        known = {p.type for p in self.inputs if not p.optional}
        return next((i for i, p in enumerate(self.outputs) if p.type in self.variables - known and not p.sequence and not p.optional), None)


@lru_cache(None)
def bindings():
    """(domain, operator): Binding, of every operator of the registry."""
    made = {}
    for i in range(lib.adj_registry_count()):
        row = _library.info(_generated.adj_registry_row, lib.adj_registry_get, i)
        key = text(row.domain), text(row.op)
        if key not in made:
            stanzas = [s.splitlines() for s in ("\n" + text(row.binding)).split("\nop ")[1:]]
            made[key] = Binding(stanzas[0][1:] if stanzas else [], text(row.session), text(row.obstacle))
    return made


def domain_of(node):
    return "" if node.domain == "ai.onnx" else node.domain


def name_of(node):
    return f"node '{node.name}' ({node.op_type})"


def refuse(node, what, status=Status.INVALID_ARGUMENT):
    raise _library.error(status, f"{name_of(node)}: {what}")


def check_node(node):
    """Raises InvalidError where the node has an attribute, an input or an output that the operator does not take, naming it."""
    binding = bindings().get((domain_of(node), node.op_type))
    if binding is None or binding.session == "none" and domain_of(node) == "":
        return
    if binding.session == "none":
        refuse(node, f"it does not run in a session of ONNX Runtime: {binding.obstacle}", Status.UNSUPPORTED)
    if domain_of(node) == "":  # the session has this operator's schema, and has checked it
        return
    given = {a.name: a for a in node.attribute}
    for name, a in given.items():
        known = binding.attributes.get(name)
        if known is None:
            refuse(node, f"there is no attribute {name}; there are {', '.join(binding.attributes) or 'none'}")
        if a.type != KINDS[known.kind]:
            refuse(node, f"attribute {name} is {WORDS.get(a.type, 'of another kind')}, expected {WORDS[KINDS[known.kind]]}")
        value = a.s.decode("utf-8", "replace") if known.kind == "string" else str(list(a.ints)) if known.kind == "ints" else str(a.i)
        if known.refused or known.only and value not in known.only:
            refuse(node, f"attribute {name} = {value} is not served" + (f", only {' or '.join(known.only)}" if known.only else ""), Status.UNSUPPORTED)
    for name, known in binding.attributes.items():
        if known.required and name not in given:
            refuse(node, f"attribute {name} must be given")
    for what, ports, names in (("input", binding.inputs, node.input), ("output", binding.outputs, node.output)):
        group = [p for p in ports if p.group]
        if len(names) > len(ports) and not ports[-1].variadic and not group:
            refuse(node, f"it has {len(names)} {what}s, at most {len(ports)} are possible")
        present = list(ports)
        while group and len(present) < len(names):
            present += group
        for i, port in enumerate(present):
            if not (port.optional or port.variadic) and (i >= len(names) or not names[i]):
                place = f"[{(i - len(ports)) // len(group) + 1}]" if i >= len(ports) else "[0]" if port.group else ""
                refuse(node, f"{what} {port.name}{place} is missing")
