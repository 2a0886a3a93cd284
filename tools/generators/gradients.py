"""The gradient of an operator, as a line ADJ_GRADIENT of its header says. README.md beside this file has the grammar."""
import re

from generators.expressions import split_list

ITEM = re.compile(r"(\w+)(?: = (!?\w+(?: \| \w+)*))?(?: \? (!?\w+))?")


class Gradient:
    """inputs: (argument of the gradient, its sources in names of the forward call, condition or ""); outputs: the output of the gradient for each argument
    of the forward call; fields: (field of the gradient, argument of the forward call, dimension or None for the whole shape); negated: (field of the
    gradient, field of the forward call); taken: fields that the forward call takes for the gradient; along: (field of both, condition)."""

    def __init__(self, tree, text, place):
        self.place = place
        names = [part.strip() for part in text[1:-1].split(",")]
        if (text[:1], text[-1:]) != ("(", ")") or len(names) < 3:
            self.fault("expected the operator, its gradient, and what that takes, in one line")
        by_name, (forward, gradient, *self.items) = {o.name: o for o in tree.operators}, names
        self.forward = by_name.get(forward) or self.fault(f"there is no operator {forward}")
        if self.forward.gradient:
            self.fault(f"{forward} has a gradient already")
        self.arguments = {s.name: s for s in tree.arguments(self.forward)}
        self.upstream = {"d" + s.name for s in self.arguments.values() if s.role != "in"}
        self.inputs, self.outputs, self.fields, self.negated, self.taken, self.along = [], {}, [], [], [], []
        own = self.arguments.get(gradient)
        self.own = gradient if own and own.role == "out" else None  # an output of the operator itself, to be multiplied by the items
        self.operator = None if self.own else by_name.get(gradient) or self.fault(f"{gradient} is no operator, and no output of {forward}")
        name = forward.removesuffix("_forward") + "_backward"
        if self.operator and gradient != name:
            self.fault(f"the gradient of {forward} is named {name}, found {gradient}")
        if self.own:
            for item in self.items:
                self.source(item)
            self.inputs = [(name, [name], "") for name in (*self.items, self.own)]
        else:
            self.read_items(tree)
        self.forward.gradient = self

    def fault(self, text):
        from generators.reader import Fault
        raise Fault(f"{self.place}: ADJ_GRADIENT: {text}")

    def source(self, name):
        if name not in self.arguments and name not in self.upstream:
            self.fault(f"{name} is no argument of {self.forward.name}, and no gradient of an output")

    def read_items(self, tree):
        arguments = {s.name: s for s in tree.arguments(self.operator)}
        kinds = {o: {m.name: kind for m, kind, _ in tree.fields(o)} for o in (self.forward, self.operator)}
        said = set()
        for text in self.items:
            item = ITEM.fullmatch(text) or self.fault(f"cannot read '{text}'")
            name, sources, condition = item[1], (item[2] or item[1]).split(" | "), item[3] or ""
            if name in said:
                self.fault(f"{name} stands there twice")
            said.add(name)
            if condition.startswith("!"):
                if condition[1:] not in arguments or arguments[condition[1:]].role != "in":
                    self.fault(f"{condition} is not ! and an input of {self.operator.name}")
            elif condition and condition not in kinds[self.operator] and condition not in self.upstream:
                self.fault(f"{condition} is no field of {self.operator.name}, and no gradient of an output")
            if name in arguments and arguments[name].role == "in":
                for source in sources:
                    self.source(source)
                self.inputs.append((name, sources, condition))
            elif name in arguments:
                if not all(source in self.arguments for source in sources):
                    self.fault(f"{name} is an output of {self.operator.name}: of which arguments is it the gradient?")
                self.outputs.update((source, name) for source in sources)
            elif name not in kinds[self.operator]:
                self.fault(f"{name} is no argument and no field of {self.operator.name}")
            elif item[2]:
                if not item[2].startswith("!") or item[2][1:] not in kinds[self.forward]:
                    self.fault(f"{item[2]} is not ! and a field of {self.forward.name}")
                self.negated.append((name, item[2][1:]))
            elif name in kinds[self.forward]:
                if not condition.startswith("!"):
                    self.fault(f"{name} is a field of both, which goes along in any case")
                self.along.append((name, condition))
            else:
                self.taken.append(name)
        for s in arguments.values():
            if s.role == "in" and s.given == "always" and s.name not in said and s.kind in ("tensor", "list"):
                self.fault(f"{self.operator.name} needs {s.name}")
        self.outputs = {n: "d" + n for n in self.arguments if "d" + n in arguments and arguments["d" + n].role != "in"} | self.outputs
        known = {name for s, _, _ in self.inputs if arguments[s].given == "always" for name, _ in self.stated(tree, self.operator, arguments[s])}
        for s in self.arguments.values():
            for name, at in self.stated(tree, self.forward, s) if s.role == "in" and s.given == "always" else ():
                if name in kinds[self.operator] and name not in known:
                    self.fields.append((name, s.name, at))
                    known.add(name)

    @staticmethod
    def stated(tree, o, argument):
        """(field, dimension, or None for the whole shape) of the fields that the shape of an argument states by themselves."""
        text = argument.texts[0] if argument.kind == "tensor" and argument.shape else "[]"
        names = split_list(text[1:-1]) if text.startswith("[") else [text]
        fields = {m.name: "REST" in m.notes for m, kind, _ in tree.fields(o) if kind in ("kFieldI64", "kFieldShape")}
        return [] if any(fields.get(n) for n in names) else [(n, i if text.startswith("[") else None) for i, n in enumerate(names) if n in fields]

    @property
    def sentence(self):
        """What documentation says of it."""
        if self.own:
            return f"Its gradient is {self.own}, times {' and '.join(self.items)}."
        return f"Its gradient: {self.operator.name}({', '.join(self.items)})."
