# Written by tools/generate.py from the C headers. Do not edit.
__version__: str
from . import (functional as functional, ops as ops)
from ._call import (Bound as Bound, forget_plans as forget_plans)
from ._generated import (Backend as Backend, Determinism as Determinism, Device as Device, Dtype as Dtype, Guarantee as Guarantee,
    JitPolicy as JitPolicy, Kernel as Kernel, LibraryInfo as LibraryInfo, Math as Math, PlanInfo as PlanInfo,
    Rejection as Rejection, Sku as Sku, Status as Status)
from ._library import (Error as Error, InvalidError as InvalidError, Preference as Preference, Stream as Stream,
    UnsupportedError as UnsupportedError)
from ._plan import (Plan as Plan, arguments as arguments, describe as describe, devices as devices, explain as explain,
    kernel as kernel, libraries as libraries, library_version as library_version, op as op, operators as operators,
    select as select, sku as sku, skus as skus)
from .functional import *
from .optim import (AdamW as AdamW)
from .ops import ( embedding_forward as embedding_forward, softmax_cross_entropy_loss as softmax_cross_entropy_loss,
    softmax_cross_entropy_loss_backward as softmax_cross_entropy_loss_backward, sgd as sgd, gather_backward as gather_backward,
    embedding_bag_forward as embedding_bag_forward, embedding_bag_backward as embedding_bag_backward,
    embedding_bag_per_sample_weights_backward as embedding_bag_per_sample_weights_backward, index_plan as index_plan,
    activation_forward as activation_forward, gated_activation_forward as gated_activation_forward, div_backward as div_backward,
    gist_encode as gist_encode, gist_decode as gist_decode, fake_quantize_forward as fake_quantize_forward,
    fake_quantize_backward as fake_quantize_backward, dropout_forward as dropout_forward,
    bias_softmax_dropout_forward as bias_softmax_dropout_forward, softmax_dropout_backward as softmax_dropout_backward,
    softmax_forward as softmax_forward, log_softmax_forward as log_softmax_forward,
    soft_label_cross_entropy_loss as soft_label_cross_entropy_loss,
    soft_label_cross_entropy_loss_backward as soft_label_cross_entropy_loss_backward, log_prob_entropy as log_prob_entropy,
    log_prob_entropy_backward as log_prob_entropy_backward, lamb as lamb, is_finite as is_finite, all_finite as all_finite,
    all as all, scale as scale, zero as zero, accumulate as accumulate, scaled_sum as scaled_sum,
    layer_norm_forward as layer_norm_forward, rms_norm_forward as rms_norm_forward, batch_norm_forward as batch_norm_forward,
    batch_norm_backward as batch_norm_backward, conv_backward as conv_backward, conv_transpose_backward as conv_transpose_backward,
    conv_forward as conv_forward, conv_transpose_forward as conv_transpose_forward, resize_backward as resize_backward,
    resize_forward as resize_forward, gather_nd_backward as gather_nd_backward,
    gather_elements_backward as gather_elements_backward, index_add as index_add, slice_backward as slice_backward,
    pad_and_unflatten as pad_and_unflatten, flatten_and_unpad as flatten_and_unpad, view as view, copy as copy, group as group,
    record_event as record_event, wait_event as wait_event, user_kernel as user_kernel, callback as callback,
    all_reduce as all_reduce, all_gather as all_gather, reduce_scatter as reduce_scatter, send as send, recv as recv,
    broadcast as broadcast, adasum_all_reduce as adasum_all_reduce, megatron_f as megatron_f, megatron_g as megatron_g,
    update_loss_scale as update_loss_scale, lion as lion, adamw_8bit as adamw_8bit, attention_forward as attention_forward,
    attention_backward as attention_backward, rope_forward as rope_forward, rope_backward as rope_backward, transpose as transpose,
    fill as fill, normal as normal, moe_route as moe_route, moe_route_backward as moe_route_backward, moe_plan as moe_plan,
    moe_permute as moe_permute, moe_permute_backward as moe_permute_backward, moe_unpermute as moe_unpermute,
    moe_unpermute_backward as moe_unpermute_backward, group_norm_forward as group_norm_forward,
    linear_cross_entropy as linear_cross_entropy, linear_cross_entropy_backward as linear_cross_entropy_backward,
    linear_log_prob as linear_log_prob, linear_log_prob_backward as linear_log_prob_backward, amax as amax, quantize as quantize,
    dequantize as dequantize, fp8_scale_update as fp8_scale_update, scaled_matmul as scaled_matmul)
