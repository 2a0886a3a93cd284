"""Torch, where it is new enough, and the device that its tests run on."""
try:
    import torch
except ImportError:
    torch = None
if not hasattr(getattr(torch, "library", None), "register_fake"):  # older than PyTorch 2.4
    torch = None
CUDA = torch is not None and torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
if torch is not None:
    import adjoint.torch as adj
else:
    adj = None
