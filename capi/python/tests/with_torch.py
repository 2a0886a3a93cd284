"""Torch, where it is new enough, and the device that its tests run on."""
try:
    import torch
except ImportError:
    torch = None
if torch is not None and tuple(map(int, torch.__version__.split(".")[:2])) < (2, 6):
    torch = None
CUDA = torch is not None and torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
if torch is not None:
    import adjoint.torch as adj
else:
    adj = None
