"""Autograd functions and an optimizer for PyTorch, with the signatures of torch.nn.functional.

    import adjoint.torch as adj
    loss = adj.cross_entropy(logits, labels)
    loss.backward()

Tensors that are not contiguous are copied first. Gradients cannot be differentiated again."""
import torch
from torch.autograd.function import once_differentiable

from . import functional as F
from .optim import adamw_steps


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, dim, forward, backward):
        out = forward(input.contiguous(), dim)
        ctx.save_for_backward(out)
        ctx.dim, ctx.backward_function = dim, backward
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, dout):
        out, = ctx.saved_tensors
        return ctx.backward_function(dout.contiguous(), out, ctx.dim), None, None, None


def softmax(input, dim=-1):
    return _Softmax.apply(input, dim, F.softmax, F.softmax_backward)


def log_softmax(input, dim=-1):
    return _Softmax.apply(input, dim, F.log_softmax, F.log_softmax_backward)


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, target, weight, ignore_index, reduction):
        input, target = input.contiguous(), target.contiguous()
        loss, lse = F.cross_entropy(input, target, weight, ignore_index=ignore_index, reduction=reduction, return_lse=True)
        ctx.save_for_backward(input, target, weight, lse)
        ctx.ignore_index, ctx.reduction = ignore_index, reduction
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx, dloss):
        input, target, weight, lse = ctx.saved_tensors
        gradient = F.cross_entropy_backward(dloss.contiguous(), input, lse, target, weight, ignore_index=ctx.ignore_index, reduction=ctx.reduction)
        return gradient, None, None, None, None


class _SmoothCrossEntropy(torch.autograd.Function):
    """Label smoothing: the gradient comes with the loss, and is scaled in the backward direction."""

    @staticmethod
    def forward(ctx, input, target, weight, ignore_index, reduction, label_smoothing, z_loss):
        loss, gradient = F.cross_entropy_with_gradient(input.contiguous(), target.contiguous(), weight, ignore_index=ignore_index, reduction=reduction,
                                                       label_smoothing=label_smoothing, z_loss=z_loss)
        ctx.save_for_backward(gradient)
        return loss.to(input.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, dloss):
        gradient, = ctx.saved_tensors
        return (gradient * (dloss.unsqueeze(-1) if dloss.dim() else dloss), *[None] * 6)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0, z_loss=0.0):
    """As torch.nn.functional.cross_entropy, for class indices; z_loss * logsumexp^2 is added to the loss of each sample.

    With label_smoothing or z_loss, input is [samples, classes]. A mean over no samples is 0."""
    if label_smoothing or z_loss:
        return _SmoothCrossEntropy.apply(input, target, weight, ignore_index, reduction, label_smoothing, z_loss)
    return _CrossEntropy.apply(input, target, weight, ignore_index, reduction)


class _Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, padding_idx, scale_grad_by_freq):
        input = input.contiguous()
        ctx.save_for_backward(input)
        ctx.options = weight.shape[0], padding_idx, scale_grad_by_freq
        return F.embedding(input, weight.contiguous(), padding_idx=padding_idx)

    @staticmethod
    @once_differentiable
    def backward(ctx, dout):
        input, = ctx.saved_tensors
        count, padding_idx, scale_grad_by_freq = ctx.options
        gradient = F.embedding_backward(dout.contiguous(), input, count, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq)
        return None, gradient, None, None


def embedding(input, weight, padding_idx=None, scale_grad_by_freq=False):
    """As torch.nn.functional.embedding. Indices out of range give rows of zeros and no gradient."""
    return _Embedding.apply(input, weight, padding_idx, scale_grad_by_freq)


class _LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, axis, eps):
        input = input.contiguous()
        out, mean, inv_std = F.layer_norm(input, weight, bias, axis=axis, epsilon=eps, return_statistics=True)
        ctx.save_for_backward(input, mean, inv_std, weight)
        ctx.axis = axis
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, dout):
        input, mean, inv_std, weight = ctx.saved_tensors
        gradients = F.layer_norm_backward(dout.contiguous(), input, mean, inv_std, weight, axis=ctx.axis, want_dgamma=ctx.needs_input_grad[1],
                                          want_dbeta=ctx.needs_input_grad[2])
        return (*gradients, None, None)


class _RmsNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, axis, eps):
        input = input.contiguous()
        out, inv_std = F.rms_norm(input, weight, axis=axis, epsilon=eps, return_statistics=True)
        ctx.save_for_backward(input, inv_std, weight)
        ctx.axis = axis
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, dout):
        input, inv_std, weight = ctx.saved_tensors
        dinput, dgamma = F.rms_norm_backward(dout.contiguous(), input, inv_std, weight, axis=ctx.axis, want_dgamma=ctx.needs_input_grad[1])
        return dinput, dgamma, None, None


def _normalized_axis(name, input, normalized_shape):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape or tuple(input.shape[-len(shape):]) != shape:
        raise ValueError(f"{name}: normalized_shape = {list(shape)} is not the end of the shape of input, {list(input.shape)}")
    return -len(shape)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """As torch.nn.functional.layer_norm."""
    return _LayerNorm.apply(input, weight, bias, _normalized_axis("layer_norm", input, normalized_shape), eps)


def rms_norm(input, normalized_shape, weight=None, eps=1e-5):
    """As torch.nn.functional.rms_norm."""
    return _RmsNorm.apply(input, weight, _normalized_axis("rms_norm", input, normalized_shape), eps)


class _Activation(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, function, parameters):
        input = input.contiguous()
        out = F.activation(input, function, **parameters)
        ctx.save_for_backward(out if function in F.SAVED_OUTPUT else input)
        ctx.function, ctx.parameters = function, parameters
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, dout):
        saved, = ctx.saved_tensors
        return F.activation_backward(dout.contiguous(), saved, ctx.function, **ctx.parameters), None, None


class _Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, function, options):
        input = input.contiguous()
        ctx.save_for_backward(input)
        ctx.function, ctx.options = function, options
        return F.gated_activation(input, function, **options)

    @staticmethod
    @once_differentiable
    def backward(ctx, dout):
        input, = ctx.saved_tensors
        return F.gated_activation_backward(dout.contiguous(), input, ctx.function, **ctx.options), None, None


def activation(input, function, **parameters):
    """function(input); see adjoint.activation."""
    return _Activation.apply(input, function, parameters)


def relu(input):
    return activation(input, "relu")


def leaky_relu(input, negative_slope=0.01):
    return activation(input, "leaky_relu", leaky_slope=negative_slope)


def gelu(input, approximate="none"):
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


def gated_activation(input, function, **options):
    """f(gate) * linear of the halves of the last dimension; see adjoint.gated_activation."""
    return _Gated.apply(input, function, options)


def swiglu(input, **options):
    """silu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "swiglu", **options)


def geglu(input, **options):
    """gelu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "geglu", **options)


class _Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p, seed, offset):
        out, mask = F.dropout(input.contiguous(), p, seed, offset)
        ctx.save_for_backward(mask)
        ctx.p = p
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, dout):
        mask, = ctx.saved_tensors
        return F.dropout_backward(dout.contiguous(), mask, ctx.p), None, None, None


def dropout(input, p=0.5, training=True, seed=None, offset=0):
    """As torch.nn.functional.dropout. Without a seed one is drawn from torch's generator of the CPU."""
    if not training or p == 0:
        return input
    if seed is None:
        seed = int(torch.randint(0, 2 ** 63 - 1, ()))
    return _Dropout.apply(input, float(p), seed, offset)


class AdamW(torch.optim.Optimizer):
    """AdamW with the parameter groups, state and hooks of torch's optimizers. The step is a number of the host: not for graph capture."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            entries = [(p, p.grad, self.state[p]) for p in group["params"] if p.grad is not None]
            if entries:
                adamw_steps(entries, float(group["lr"]), tuple(group["betas"]), group["eps"], group["weight_decay"])
        return loss
