"""Differentiable functions and an optimizer for PyTorch, with the signatures of torch.nn.functional.

    import adjoint.torch as adj
    loss = adj.cross_entropy(logits, labels)
    loss.backward()

The functions are operators of torch, torch.ops.adjoint.*: torch.compile, torch.func and checkpointing take them. Tensors that are not
contiguous are copied first. Gradients cannot be differentiated again."""
import torch
from torch.autograd import forward_ad

if not hasattr(torch.library, "register_fake"):
    raise ImportError(f"adjoint.torch needs PyTorch 2.4, found {torch.__version__}; the functions of adjoint take its tensors as well")

from . import functional as F
from .optim import adamw_steps, check_adamw, check_parameters

_library = torch.library.Library("adjoint", "DEF")


_PLAIN = {torch.Tensor, torch.nn.Parameter, int, float, bool, str, type(None)}


def _operator(schema, fake, save=None, backward=None):
    """Decorator: makes the function an operator of torch, on tensors in the order of the schema, and returns what calls it with gradients.

    fake: the results for tensors without contents. save(ctx, inputs, output) and backward(ctx, *grads): the gradient; without them the operator is the
    gradient of another and has none itself."""
    name = schema.partition("(")[0]

    def made(function):
        _library.define(schema)
        _library.impl(name, function, "CompositeExplicitAutograd")
        torch.library.register_fake(f"adjoint::{name}", fake, lib=_library)
        op = getattr(torch.ops.adjoint, name).default

        def run(*args):
            for a in args:
                if type(a) not in _PLAIN:  # a tensor without contents, or with a dispatch of its own
                    with torch._C._AutoDispatchBelowAutograd():
                        return op(*args)
            return function(*args)

        def keep(ctx, inputs, output):
            if save is not None:
                if type(output) is tuple:
                    ctx.set_materialize_grads(False)
                save(ctx, inputs, output)

        def gradient(ctx, *grads):
            if backward is None:
                raise RuntimeError(f"adjoint::{name}: gradients cannot be differentiated again")
            return backward(ctx, *grads)

        class Eager(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *args):
                output = run(*args)
                keep(ctx, args, output)
                return output

            backward = staticmethod(gradient)

        # In this form a call takes several times as long, and functions of torch.func may be around it.
        class Transformed(torch.autograd.Function):
            forward, setup_context, backward = staticmethod(run), staticmethod(keep), staticmethod(gradient)

            @staticmethod
            def vmap(info, in_dims, *args):
                results = [Transformed.apply(*(a if d is None else a.select(d, i) for a, d in zip(args, in_dims))) for i in range(info.batch_size)]
                if isinstance(results[0], tuple):
                    return tuple(map(torch.stack, zip(*results))), (0,) * len(results[0])
                return torch.stack(results), 0

        Eager.__name__ = Eager.__qualname__ = Transformed.__name__ = Transformed.__qualname__ = name
        transforms, grad_enabled, apply = torch._C._are_functorch_transforms_active, torch.is_grad_enabled, Eager.apply

        def call(*args):
            if torch.compiler.is_dynamo_compiling():
                return op(*args)
            if transforms():
                return Transformed.apply(*args)
            return apply(*args) if grad_enabled() or forward_ad._current_level >= 0 else run(*args)

        _library.impl(name, lambda *args: Transformed.apply(*args) if transforms() else apply(*args), "Autograd")
        return call
    return made


def _like(first, *rest):
    return torch.empty(first.shape, dtype=first.dtype, device=first.device)


def _contiguous(tensor):
    return None if tensor is None else tensor.contiguous()


# torch's own choice of functions that compute in f32 under autocast.
_AUTOCAST_F32 = {"cuda": {"softmax", "log_softmax", "cross_entropy", "layer_norm", "softplus"}, "cpu": {"cross_entropy"}}


def _cast(name, *tensors):
    """The tensors in the type that torch's function of that name computes in."""
    kind = "cuda" if tensors[0].is_cuda else "cpu"
    if not torch.is_autocast_enabled(kind) or name not in _AUTOCAST_F32[kind]:
        return tensors
    return tuple(t.float() if t is not None and t.dtype in (torch.float16, torch.bfloat16) else t for t in tensors)


# ---- softmax

def _softmaxes(name, forward, backward):
    @_operator(f"{name}_backward(Tensor dout, Tensor out, int dim) -> Tensor", _like)
    def gradient(dout, out, dim):
        return backward(dout.contiguous(), out.contiguous(), dim)

    def save(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.dim = inputs[1]

    @_operator(f"{name}(Tensor input, int dim) -> Tensor", _like, save=save,
               backward=lambda ctx, dout: (gradient(dout, ctx.saved_tensors[0], ctx.dim), None))
    def function(input, dim):
        return forward(input.contiguous(), dim)
    return function


_softmax, _log_softmax = _softmaxes("softmax", F.softmax, F.softmax_backward), _softmaxes("log_softmax", F.log_softmax, F.log_softmax_backward)


def softmax(input, dim=-1):
    """As torch.softmax."""
    return _softmax(*_cast("softmax", input), dim)


def log_softmax(input, dim=-1):
    """As torch.log_softmax."""
    return _log_softmax(*_cast("log_softmax", input), dim)


# ---- cross entropy

def _loss_shape(input, target, reduction):
    return target.shape if reduction == "none" else ()


def _accumulator(tensor):
    return torch.float64 if tensor.dtype == torch.float64 else torch.float32


def _fake_loss(input, target, weight, ignore_index, reduction):
    return input.new_empty(_loss_shape(input, target, reduction)), input.new_empty(target.shape, dtype=_accumulator(input))


def _save_loss(ctx, inputs, output):
    input, target, weight, ctx.ignore_index, ctx.reduction = inputs
    ctx.save_for_backward(input, target, weight, output[1])
    ctx.mark_non_differentiable(output[1])


def _loss_backward(ctx, dloss, _):
    input, target, weight, lse = ctx.saved_tensors
    return _cross_entropy_backward(dloss, input, lse, target, weight, ctx.ignore_index, ctx.reduction), None, None, None, None


@_operator("cross_entropy_backward(Tensor dloss, Tensor input, Tensor lse, Tensor target, Tensor? weight, int ignore_index, str reduction) -> Tensor",
           lambda dloss, input, *rest: _like(input))
def _cross_entropy_backward(dloss, input, lse, target, weight, ignore_index, reduction):
    return F.cross_entropy_backward(dloss.contiguous(), input.contiguous(), lse.contiguous(), target.contiguous(), _contiguous(weight),
                                    ignore_index=ignore_index, reduction=reduction)


@_operator("cross_entropy(Tensor input, Tensor target, Tensor? weight, int ignore_index, str reduction) -> (Tensor, Tensor)", _fake_loss,
           save=_save_loss, backward=_loss_backward)
def _cross_entropy(input, target, weight, ignore_index, reduction):
    return F.cross_entropy(input.contiguous(), target.contiguous(), _contiguous(weight), ignore_index=ignore_index, reduction=reduction,
                           return_lse=True)


def _save_smooth(ctx, inputs, output):
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])
    ctx.dtype = inputs[0].dtype


def _smooth_backward(ctx, dloss, _):
    gradient, = ctx.saved_tensors
    return ((gradient * (dloss.unsqueeze(-1) if dloss.dim() else dloss)).to(ctx.dtype), *[None] * 6)


# The gradient comes with the loss, and is scaled in the backward direction. That of f16 is kept in f32: a loss scale comes with dloss.
@_operator("cross_entropy_with_gradient(Tensor input, Tensor target, Tensor? weight, int ignore_index, str reduction, float label_smoothing, "
           "float z_loss) -> (Tensor, Tensor)",
           lambda input, target, weight, ignore_index, reduction, *rest: (
               input.new_empty(_loss_shape(input, target, reduction)),
               torch.empty(input.shape, dtype=torch.float32 if input.dtype == torch.float16 else input.dtype, device=input.device)),
           save=_save_smooth, backward=_smooth_backward)
def _smooth_cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing, z_loss):
    scores = input.float() if input.dtype == torch.float16 else input
    loss, gradient = F.cross_entropy_with_gradient(scores.contiguous(), target.contiguous(), _contiguous(weight), ignore_index=ignore_index,
                                                   reduction=reduction, label_smoothing=label_smoothing, z_loss=z_loss)
    return loss.to(input.dtype), gradient


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0, z_loss=0.0):
    """As torch.nn.functional.cross_entropy, for class indices; z_loss * logsumexp^2 is added to the loss of each sample.

    With label_smoothing or z_loss, input is [samples, classes]. A mean over no samples is 0."""
    if target.is_floating_point():
        raise TypeError("cross_entropy: target has floating-point elements; give class indices")
    input, weight = _cast("cross_entropy", input, weight)
    if label_smoothing or z_loss:
        return _smooth_cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing, z_loss)[0]
    return _cross_entropy(input, target, weight, ignore_index, reduction)[0]


# ---- embedding

@_operator("embedding_backward(Tensor dout, Tensor indices, SymInt num_embeddings, int? padding_idx, bool scale_grad_by_freq) -> Tensor",
           lambda dout, indices, num_embeddings, *rest: dout.new_empty((num_embeddings, dout.shape[-1])))
def _embedding_backward(dout, indices, num_embeddings, padding_idx, scale_grad_by_freq):
    return F.embedding_backward(dout.contiguous(), indices.contiguous(), num_embeddings, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq)


def _save_embedding(ctx, inputs, output):
    indices, weight, ctx.padding_idx, ctx.scale_grad_by_freq = inputs
    ctx.save_for_backward(indices)
    ctx.num_embeddings = weight.shape[0]


@_operator("embedding(Tensor indices, Tensor weight, int? padding_idx, bool scale_grad_by_freq) -> Tensor",
           lambda indices, weight, *rest: weight.new_empty((*indices.shape, weight.shape[1])), save=_save_embedding,
           backward=lambda ctx, dout: (None, _embedding_backward(dout, ctx.saved_tensors[0], ctx.num_embeddings, ctx.padding_idx,
                                                                 ctx.scale_grad_by_freq), None, None))
def _embedding(indices, weight, padding_idx, scale_grad_by_freq):
    return F.embedding(indices.contiguous(), weight.contiguous(), padding_idx=padding_idx)


def embedding(input, weight, padding_idx=None, scale_grad_by_freq=False):
    """As torch.nn.functional.embedding. Indices out of range give rows of zeros and no gradient."""
    return _embedding(input, weight, padding_idx, scale_grad_by_freq)


# ---- norms

def _fake_norm(count):
    """Results of a norm: out and `count` statistics."""
    def fake(input, *rest):
        statistics = input.shape[:input.dim() + rest[-2]]
        return (_like(input), *(input.new_empty(statistics, dtype=_accumulator(input)) for _ in range(count)))
    return fake


def _fake_weights(input, weight, wants):
    like = input if weight is None else weight
    return tuple(like.new_empty(like.shape if weight is not None else ()) if want else like.new_empty(0) for want in wants)


def _or_empty(gradients, like):
    """An operator cannot return None."""
    return tuple(like.new_empty(0) if g is None else g for g in gradients)


@_operator("layer_norm_backward(Tensor dout, Tensor input, Tensor mean, Tensor inv_std, Tensor? weight, Tensor? bias, int axis, bool want_dweight, "
           "bool want_dbias) -> (Tensor, Tensor, Tensor)",
           lambda dout, input, mean, inv_std, weight, bias, axis, *wants: (
               _like(input), *_fake_weights(input, bias if weight is None else weight, wants)))
def _layer_norm_backward(dout, input, mean, inv_std, weight, bias, axis, want_dweight, want_dbias):
    gradients = F.layer_norm_backward(dout.contiguous(), input.contiguous(), mean.contiguous(), inv_std.contiguous(), _contiguous(weight), axis=axis,
                                      want_dgamma=want_dweight, want_dbeta=want_dbias)
    dinput, dweight, dbias = _or_empty(gradients, input)
    return dinput, dweight, dbias if bias is None or not want_dbias else dbias.to(bias.dtype)


def _save_layer_norm(ctx, inputs, output):
    input, weight, bias, ctx.axis, _ = inputs
    ctx.save_for_backward(input, output[1], output[2], weight, bias)
    ctx.mark_non_differentiable(output[1], output[2])


def _layer_norm_gradients(ctx, dout, *_):
    input, mean, inv_std, weight, bias = ctx.saved_tensors
    wants = [t is not None and need for t, need in zip((weight, bias), ctx.needs_input_grad[1:3])]
    dinput, dweight, dbias = _layer_norm_backward(dout, input, mean, inv_std, weight, bias, ctx.axis, *wants)
    return dinput, dweight if wants[0] else None, dbias if wants[1] else None, None, None


@_operator("layer_norm(Tensor input, Tensor? weight, Tensor? bias, int axis, float eps) -> (Tensor, Tensor, Tensor)", _fake_norm(2),
           save=_save_layer_norm, backward=_layer_norm_gradients)
def _layer_norm(input, weight, bias, axis, eps):
    return F.layer_norm(input.contiguous(), _contiguous(weight), _contiguous(bias), axis=axis, epsilon=eps, return_statistics=True)


@_operator("rms_norm_backward(Tensor dout, Tensor input, Tensor inv_std, Tensor? weight, int axis, bool want_dweight) -> (Tensor, Tensor)",
           lambda dout, input, inv_std, weight, axis, *wants: (_like(input), *_fake_weights(input, weight, wants)))
def _rms_norm_backward(dout, input, inv_std, weight, axis, want_dweight):
    return _or_empty(F.rms_norm_backward(dout.contiguous(), input.contiguous(), inv_std.contiguous(), _contiguous(weight), axis=axis,
                                         want_dgamma=want_dweight), input)


def _save_rms_norm(ctx, inputs, output):
    input, weight, ctx.axis, _ = inputs
    ctx.save_for_backward(input, output[1], weight)
    ctx.mark_non_differentiable(output[1])


def _rms_norm_gradients(ctx, dout, _):
    input, inv_std, weight = ctx.saved_tensors
    want = weight is not None and ctx.needs_input_grad[1]
    dinput, dweight = _rms_norm_backward(dout, input, inv_std, weight, ctx.axis, want)
    return dinput, dweight if want else None, None, None


@_operator("rms_norm(Tensor input, Tensor? weight, int axis, float eps) -> (Tensor, Tensor)", _fake_norm(1), save=_save_rms_norm,
           backward=_rms_norm_gradients)
def _rms_norm(input, weight, axis, eps):
    return F.rms_norm(input.contiguous(), _contiguous(weight), axis=axis, epsilon=eps, return_statistics=True)


def _normalized_axis(name, input, normalized_shape):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape or tuple(input.shape[-len(shape):]) != shape:
        raise ValueError(f"{name}: normalized_shape = {list(shape)} is not the end of the shape of input, {list(input.shape)}")
    return -len(shape)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """As torch.nn.functional.layer_norm."""
    axis = _normalized_axis("layer_norm", input, normalized_shape)
    return _layer_norm(*_cast("layer_norm", input, weight, bias), axis, eps)[0]


def rms_norm(input, normalized_shape, weight=None, eps=1e-5):
    """As torch.nn.functional.rms_norm."""
    return _rms_norm(input, weight, _normalized_axis("rms_norm", input, normalized_shape), eps)[0]


# ---- activations

_ALPHAS = "float? leaky_slope, float? quick_gelu_alpha, float? elu_alpha"


def _given(leaky_slope, quick_gelu_alpha, elu_alpha):
    found = {"leaky_slope": leaky_slope, "quick_gelu_alpha": quick_gelu_alpha, "elu_alpha": elu_alpha}
    return {name: value for name, value in found.items() if value is not None}


@_operator(f"activation_backward(Tensor dout, Tensor saved, str function, {_ALPHAS}) -> Tensor", _like)
def _activation_backward(dout, saved, function, *alphas):
    return F.activation_backward(dout.contiguous(), saved.contiguous(), function, **_given(*alphas))


def _save_activation(ctx, inputs, output):
    ctx.save_for_backward(output if inputs[1] in F.SAVED_OUTPUT else inputs[0])
    ctx.options = inputs[1:]


@_operator(f"activation(Tensor input, str function, {_ALPHAS}) -> Tensor", _like, save=_save_activation,
           backward=lambda ctx, dout: (_activation_backward(dout, ctx.saved_tensors[0], *ctx.options), None, None, None, None))
def _activation(input, function, *alphas):
    return F.activation(input.contiguous(), function, **_given(*alphas))


def activation(input, function, *, leaky_slope=None, quick_gelu_alpha=None, elu_alpha=None):
    """function(input); see adjoint.activation."""
    return _activation(*_cast(function, input), function, leaky_slope, quick_gelu_alpha, elu_alpha)


def relu(input):
    return activation(input, "relu")


def leaky_relu(input, negative_slope=0.01):
    return activation(input, "leaky_relu", leaky_slope=negative_slope)


def gelu(input, approximate="none"):
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate = {approximate!r} is not one of none, tanh")
    return activation(input, "gelu_tanh" if approximate == "tanh" else "gelu")


def sigmoid(input):
    return activation(input, "sigmoid")


def tanh(input):
    return activation(input, "tanh")


def silu(input):
    return activation(input, "silu")


def elu(input, alpha=1.0):
    return activation(input, "elu", elu_alpha=alpha)


def softplus(input):
    return activation(input, "softplus")


def mish(input):
    return activation(input, "mish")


def hardswish(input):
    return activation(input, "hard_swish")


@_operator("gated_activation_backward(Tensor dout, Tensor input, str function, bool interleaved, bool gate_second) -> Tensor",
           lambda dout, input, *rest: _like(input))
def _gated_backward(dout, input, function, interleaved, gate_second):
    return F.gated_activation_backward(dout.contiguous(), input.contiguous(), function, interleaved=interleaved, gate_second=gate_second)


def _save_gated(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.options = inputs[1:]


@_operator("gated_activation(Tensor input, str function, bool interleaved, bool gate_second) -> Tensor",
           lambda input, *rest: input.new_empty((*input.shape[:-1], input.shape[-1] // 2)), save=_save_gated,
           backward=lambda ctx, dout: (_gated_backward(dout, ctx.saved_tensors[0], *ctx.options), None, None, None))
def _gated(input, function, interleaved, gate_second):
    return F.gated_activation(input.contiguous(), function, interleaved=interleaved, gate_second=gate_second)


def gated_activation(input, function, *, interleaved=False, gate_second=False):
    """f(gate) * linear of the halves of the last dimension; see adjoint.gated_activation."""
    return _gated(input, function, interleaved, gate_second)


def swiglu(input, **options):
    """silu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "swiglu", **options)


def geglu(input, **options):
    """gelu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "geglu", **options)


# ---- dropout

@_operator("dropout_backward(Tensor dout, Tensor mask, float p) -> Tensor", _like)
def _dropout_backward(dout, mask, p):
    return F.dropout_backward(dout.contiguous(), mask.contiguous(), p)


def _save_dropout(ctx, inputs, output):
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])
    ctx.p = inputs[1]


@_operator("dropout(Tensor input, float p, Tensor random) -> (Tensor, Tensor)",
           lambda input, *rest: (_like(input), torch.empty(input.shape, dtype=torch.bool, device=input.device)), save=_save_dropout,
           backward=lambda ctx, dout, _: (_dropout_backward(dout, ctx.saved_tensors[0], ctx.p), None, None))
def _dropout(input, p, random):
    seed, offset = random.tolist()
    return F.dropout(input.contiguous(), p, seed, offset)


def dropout(input, p=0.5, training=True, seed=None, offset=0):
    """As torch.nn.functional.dropout. Without a seed one is drawn from torch's generator of the CPU."""
    if not training or p == 0:
        return input
    if seed is None:
        random = torch.randint(0, 2 ** 63 - 1, (2,)) * torch.tensor([1, 0])
    else:
        random = torch.tensor([(int(seed) + 2 ** 63) % 2 ** 64 - 2 ** 63, offset])
    return _dropout(input, float(p), random)[0]


# ---- optimizers

class AdamW(torch.optim.Optimizer):
    """AdamW with the parameter groups, state and hooks of torch's optimizers. The step is a number of the host: not for graph capture.

    Parameters and gradients may have any layout. Those that are not dense, and gradients in another layout than their parameter, are copied."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        check_adamw(lr, betas, eps, weight_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def add_param_group(self, group):
        options = {**self.defaults, **group}
        check_adamw(options["lr"], options["betas"], options["eps"], options["weight_decay"])
        super().add_param_group(group)
        check_parameters(self.param_groups[-1]["params"])

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            check_adamw(group["lr"], group["betas"], group["eps"], group["weight_decay"])
            entries = [(p, p.grad, self.state[p]) for p in group["params"] if p.grad is not None]
            if entries:
                adamw_steps(entries, float(group["lr"]), tuple(group["betas"]), group["eps"], group["weight_decay"])
        return loss
