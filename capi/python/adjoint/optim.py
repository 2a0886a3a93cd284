"""Optimizers over parameters of any array library."""
from ._arrays import library_of
from .functional import adamw


def adamw_steps(entries, lr, betas, epsilon, weight_decay, grad_scale=1.0, found_inf=None):
    """One AdamW step for entries (parameter, gradient, state). Entries with equal device, types and step number share a launch.

    state is the parameter's dictionary with "step", "exp_avg" and "exp_avg_sq", empty before the first step."""
    groups = {}
    for parameter, gradient, state in entries:
        library = library_of(parameter)
        if not state:
            view = library.view(parameter)
            zeros = library.maker(view.shape, view.dtype, parameter, True)
            state.update(step=0, exp_avg=zeros(), exp_avg_sq=zeros())
        state["step"] = int(state["step"]) + 1
        kinds = tuple(k[1:] for k in library.keys((parameter, gradient, state["exp_avg"])))
        groups.setdefault((library.name, state["step"], kinds), []).append((parameter, gradient, state["exp_avg"], state["exp_avg_sq"]))
    for (_, step, _), group in groups.items():
        adamw(*zip(*group), step=step, lr=lr, betas=betas, epsilon=epsilon, weight_decay=weight_decay, grad_scale=grad_scale, found_inf=found_inf)


class AdamW:
    """AdamW over arrays: torch's model.parameters(), or a list of arrays of any library, whose gradients go to step().

    For torch's learning rate schedulers and gradient scaler there is adjoint.torch.AdamW, a torch.optim.Optimizer."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), epsilon=1e-8, weight_decay=1e-2):
        self.params = list(params)
        if not self.params:
            raise ValueError("AdamW: params is empty; give the parameters to optimise, such as model.parameters()")
        self.lr, self.betas, self.epsilon, self.weight_decay = lr, tuple(betas), epsilon, weight_decay
        self.state = [{} for _ in self.params]

    def step(self, grads=None, *, grad_scale=1.0, found_inf=None):
        """One step, with the gradients `grads`, by default the parameters' attribute grad. A gradient None leaves its parameter out."""
        if grads is None:
            if not hasattr(self.params[0], "grad"):
                raise ValueError(f"AdamW: grads is not given, and {type(self.params[0]).__name__} has no attribute grad; call step(grads)")
            grads = [p.grad for p in self.params]
        grads = list(grads)
        if len(grads) != len(self.params):
            raise ValueError(f"AdamW: {len(grads)} gradients for {len(self.params)} parameters; give one for each, or None")
        entries = [(p, g, s) for p, g, s in zip(self.params, grads, self.state) if g is not None]
        adamw_steps(entries, self.lr, self.betas, self.epsilon, self.weight_decay, grad_scale, found_inf)

    def zero_grad(self):
        """Sets the parameters' attribute grad to None."""
        for p in self.params:
            if getattr(p, "grad", None) is not None:
                p.grad = None

    def state_dict(self):
        return {"state": [dict(s) for s in self.state], "lr": self.lr, "betas": self.betas, "epsilon": self.epsilon, "weight_decay": self.weight_decay}

    def load_state_dict(self, state):
        self.state = [dict(s) for s in state["state"]]
        self.lr, self.betas, self.epsilon, self.weight_decay = state["lr"], tuple(state["betas"]), state["epsilon"], state["weight_decay"]
