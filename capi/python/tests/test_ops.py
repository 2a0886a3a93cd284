"""Every operator by name and keywords: omitted values are inferred, and outputs are allocated with the shape that the library takes."""
import copy
import ctypes
import unittest

import numpy as np

import adjoint
from adjoint._library import check, lib

RANDOM = np.random.default_rng(5)


def f(*shape, kind=np.float32):
    return np.asarray(RANDOM.random(shape) + 0.1).astype(kind)


def i(high, *shape):
    return RANDOM.integers(0, high, shape)


def i32(high, *shape):
    return i(high, *shape).astype(np.int32)


def ones(*shape):
    return np.ones(shape, np.float32)


ATTENTION = dict(batch=1, tokens=4, heads=2, kv_heads=1, head_dim=8)

# A plan of experts: pairs of tokens and experts, and the rows that they have.
EXPERTS = i32(4, 5, 2)
ORDER = np.argsort(EXPERTS.ravel(), kind="stable").astype(np.int32)
PLAN = dict(order=ORDER, inverse=np.argsort(ORDER).astype(np.int32).reshape(5, 2))

# Keywords of a call of each operator, and the shapes of its outputs, in the order of the result.
CALLS = {
    "embedding_forward": (dict(weight=f(5, 3), indices=i(5, 4), error_flag=True), dict(out=(4, 3), error_flag=(1,))),
    "embedding_backward": (dict(dout=f(4, 3), indices=i(5, 4), num_embeddings=5), dict(dweight=(5, 3))),
    "softmax_cross_entropy_loss": (dict(scores=f(4, 5, 1), labels=i(5, 4, 1), weight=f(5), lse=True), dict(loss=(1,), lse=(4, 1))),
    "softmax_cross_entropy_loss_backward": (dict(dloss=f(), log_prob=-f(4, 5, 1), labels=i(5, 4, 1)), dict(dscores=(4, 5, 1))),
    "sgd": (dict(params=[f(3), f(2, 2)], grads=[f(3), f(4)], lr=0.1, updates_mode=1, keep_params=1), dict(updates=[(3,), (2, 2)])),
    "softmax_backward": (dict(dout=f(2, 3, 4), out=f(2, 3, 4)), dict(dinput=(2, 3, 4))),
    "log_softmax_backward": (dict(dout=f(2, 3, 4), out=-f(2, 3, 4)), dict(dinput=(2, 3, 4))),
    "softmax_forward": (dict(input=f(2, 3, 4)), dict(out=(2, 3, 4))),
    "log_softmax_forward": (dict(input=f(2, 3, 4)), dict(out=(2, 3, 4))),
    "concat": (dict(inputs=[f(2, 3), f(2, 1)], outer=2, lengths=[3, 1], lengths_out=True), dict(output=(2, 4, 1), lengths_out=(3, 1))),
    "split": (dict(input=f(2, 4), outer=2, lengths=[3, 1]), dict(outputs=[(6,), (2,)])),
    "gather_backward": (dict(dout=f(2, 4, 3), indices=i(5, 4), extent=5), dict(dinput=(2, 5, 3))),
    "embedding_bag_forward": (dict(weight=f(5, 3), indices=i(5, 2, 4), num_indices=8, num_bags=2, index="i64", mode="max", max_positions=True),
                              dict(out=(2, 3), max_positions=(2, 3))),
    "embedding_bag_backward": (dict(dout=f(2, 3), indices=i(5, 2, 4), num_embeddings=5, num_indices=8, index="i64", mode="sum"),
                               dict(dweight=(5, 3))),
    "embedding_bag_per_sample_weights_backward": (dict(dout=f(2, 3), weight=f(5, 3), indices=i(5, 2, 4), num_indices=8, index="i64"),
                                                  dict(dper_sample_weights=(2, 4))),
    "index_plan": (dict(indices=i(5, 6), num_embeddings=5), dict(sorted_rows=(6,), order=(6,))),
    "activation_backward": (dict(dout=f(4, 3), saved=f(4, 3), function="gelu", has_dbias=1), dict(dinput=(4, 3), dbias=(3,))),
    "activation_forward": (dict(input=f(4, 3), bias=f(3), function="silu"), dict(out=(4, 3))),
    "gated_activation_backward": (dict(dout=f(4, 3), input=f(4, 6), function="swiglu"), dict(dinput=(4, 6))),
    "gated_activation_forward": (dict(input=f(4, 6), function="geglu"), dict(out=(4, 3))),
    "div_backward": (dict(dout=f(4, 3), a=f(4, 3), b=f(3)), dict(da=(4, 3), db=(3,))),
    "gist_encode": (dict(input=f(2, 9), format="pack1"), dict(packed=(3,))),
    "gist_decode": (dict(packed=i(200, 3).astype(np.uint8), outer=2, inner=9, format="pack1", element="f32"), dict(out=(2, 9))),
    "fake_quantize_forward": (dict(input=f(2, 3, 4), scale=0.1, zero_point=0, mask=True), dict(out=(2, 3, 4), mask=(2, 3, 4))),
    "fake_quantize_backward": (dict(dout=f(6), mask=np.ones(6, bool)), dict(dinput=(6,))),
    "dropout_forward": (dict(input=f(40), ratio=0.5, random=(1, 0), mask_mode="bits", words=True), dict(out=(40,), mask=(2,), words=40)),
    "dropout_backward": (dict(dout=f(40), mask=np.ones(40, bool), ratio=0.5), dict(dinput=(40,))),
    "bias_softmax_dropout_forward": (dict(input=f(4, 3), bias=f(2, 3), ratio=0.5, random=7, softmax_out=True),
                                     dict(out=(4, 3), mask=(4, 3), softmax_out=(4, 3))),
    "softmax_dropout_backward": (dict(dout=f(4, 3), mask=np.ones((4, 3), bool), softmax_out=f(4, 3), ratio=0.5), dict(dinput=(4, 3))),
    "soft_label_cross_entropy_loss": (dict(scores=f(4, 3), labels=f(4, 3), reduction="none"), dict(loss=(4,))),
    "soft_label_cross_entropy_loss_backward": (dict(dloss=f(), scores=f(4, 3), lse=f(4), labels=f(4, 3)), dict(dscores=(4, 3))),
    "cross_entropy_with_gradient": (dict(scores=f(4, 3), labels=i(3, 4), dloss=2.0), dict(loss=(1,), dscores=(4, 3))),
    "linear_cross_entropy": (dict(input=f(4, 2), linear_weight=f(3, 2), labels=i(3, 4), dloss=2.0, with_gradient=1),
                             dict(loss=(1,), dinput=(4, 2), dlinear_weight=(3, 2))),
    "linear_cross_entropy_backward": (dict(dloss=f(1), input=f(4, 2), linear_weight=f(3, 2), labels=i(3, 4)), dict(dinput=(4, 2), dlinear_weight=(3, 2))),
    "linear_log_prob": (dict(input=f(4, 2), linear_weight=f(3, 2), labels=i(3, 4), entropy=True), dict(log_prob=(4,), entropy=(4,))),
    "linear_log_prob_backward": (dict(dlog_prob=f(4), dentropy=f(4), input=f(4, 2), linear_weight=f(3, 2), labels=i(3, 4), lse=f(4), entropy=f(4)),
                                 dict(dinput=(4, 2), dlinear_weight=(3, 2))),
    "log_prob_entropy": (dict(scores=f(4, 3), labels=i(3, 4), entropy=True), dict(log_prob=(4,), entropy=(4,))),
    "log_prob_entropy_backward": (dict(dlog_prob=f(4), dentropy=f(4), scores=f(4, 3), labels=i(3, 4), lse=f(4), entropy=f(4)), dict(dscores=(4, 3))),
    "adam": (dict(params=[f(3)], grads=[f(3)], exp_avg=[f(3)], exp_avg_sq=[f(3)], lr=0.1, step=1, out_of_place=1),
             dict(new_params=[(3,)], new_exp_avg=[(3,)], new_exp_avg_sq=[(3,)])),
    "lamb": (dict(params=[f(3)], grads=[f(3)], exp_avg=[f(3)], exp_avg_sq=[f(3)], lr=0.1, step=1, beta1_of=[0.5]), {}),
    "lion": (dict(params=[f(3, kind=np.float16)], grads=[f(3)], exp_avg=[f(3)], lr=0.1, step=1, seed=7, stochastic_rounding=1, tensor_keys=[4]), {}),
    "adamw_8bit": (dict(params=[f(300)], grads=[f(300)], exp_avg=[np.zeros(300, np.uint8)], exp_avg_scale=[f(2)],
                        exp_avg_sq=[np.zeros(300, np.uint8)], exp_avg_sq_scale=[f(2)], lr=0.1, step=1, tensor_keys=[0]), {}),
    "clip_grad_norm": (dict(grads=[f(3), f(2, 2)], norm=True, factor=True), dict(norm=(1,), factor=(1,))),
    "is_finite": (dict(inputs=[f(3), f(2, 2)]), dict(outputs=[(3,), (2, 2)])),
    "all_finite": (dict(inputs=[f(3)], found_inf=True), dict(output=(1,), found_inf=(1,))),
    "all": (dict(inputs=[np.ones(3, bool)]), dict(output=(1,))),
    "scale": (dict(inputs=[f(3), f(2, 2)], scale=2, scale_1=3, outputs_mode=2, output="f16"),
              dict(outputs=[(3,), (2, 2)], outputs_1=[(3,), (2, 2)])),
    "zero": (dict(outputs=[f(3)]), dict(outputs=[(3,)])),
    "accumulate": (dict(sums=[f(3)], values=[f(3, kind=np.float16)], updated_flag=True), dict(outputs=[(3,)], updated_flag=True)),
    "scaled_sum": (dict(inputs_0=[f(3)], inputs_1=[f(3)], scale_1=2), dict(outputs=[(3,)])),
    "update_loss_scale": (dict(found_inf=f(1), scale=f(1), growth_tracker=i(5, 1).astype(np.int32), growth_interval=100),
                          dict(scale=(1,), growth_tracker=(1,))),
    "l2_norm": (dict(inputs=[f(3), f(4)], norms=True), dict(output=(1,), norms=(2,))),
    "reduce": (dict(input=f(2, 3, 4), axes=[1], kind="mean", keepdims=0), dict(output=(2, 4))),
    "layer_norm_backward": (dict(dout=f(2, 3, 4), input=f(2, 3, 4), gamma=f(4), mean=f(2, 3), inv_std=f(2, 3)),
                            dict(dinput=(2, 3, 4), dgamma=(4,), dbeta=(4,))),
    "rms_norm_backward": (dict(dout=f(2, 3, 4), input=f(2, 3, 4), gamma=f(4), inv_std=f(2, 3)), dict(dinput=(2, 3, 4), dgamma=(4,))),
    "layer_norm_forward": (dict(input=f(2, 3, 4), gamma=f(3, 4), beta=f(3, 4), axis=1, mean=True), dict(out=(2, 3, 4), mean=(2,))),
    "rms_norm_forward": (dict(input=f(2, 3, 4), residual=f(2, 3, 4), sum=True), dict(out=(2, 3, 4), sum=(2, 3, 4))),
    "batch_norm_forward": (dict(input=f(2, 3, 4), saved_mean=True, saved_inv_std=True, training=1),
                           dict(out=(2, 3, 4), saved_mean=(3,), saved_inv_std=(3,))),
    "batch_norm_backward": (dict(dout=f(2, 3, 4), input=f(2, 3, 4), saved_mean=f(3), saved_inv_std=f(3), dscale=True),
                            dict(dinput=(2, 3, 4), dscale=(3,))),
    "group_norm_forward": (dict(input=f(2, 6, 4), groups=3, mean=True, inv_std=True), dict(out=(2, 6, 4), mean=(2, 3), inv_std=(2, 3))),
    "group_norm_backward": (dict(dout=f(2, 6, 4), input=f(2, 6, 4), mean=f(2, 3), inv_std=f(2, 3), groups=3, dscale=True),
                            dict(dinput=(2, 6, 4), dscale=(6,))),
    "conv_backward": (dict(dout=f(2, 4, 5, 5), input=f(2, 3, 5, 5), weight=f(4, 3, 3, 3), pads=[1, 1, 1, 1], has_dinput=1, has_dweight=1, has_dbias=1),
                      dict(dinput=(2, 3, 5, 5), dweight=(4, 3, 3, 3), dbias=(4,))),
    "conv_transpose_backward": (dict(dout=f(2, 3, 5, 5), input=f(2, 4, 5, 5), weight=f(4, 3, 3, 3), pads=[1, 1, 1, 1], has_dinput=1, has_dweight=1,
                                     has_dbias=1), dict(dinput=(2, 4, 5, 5), dweight=(4, 3, 3, 3), dbias=(3,))),
    "conv_forward": (dict(input=f(2, 3, 5, 5), weight=f(4, 3, 3, 3), bias=f(4), out_shape=[2, 4, 5, 5], pads=[1, 1, 1, 1]), dict(out=(2, 4, 5, 5))),
    "conv_transpose_forward": (dict(input=f(2, 4, 5, 5), weight=f(4, 3, 3, 3), out_shape=[2, 3, 5, 5], pads=[1, 1, 1, 1]), dict(out=(2, 3, 5, 5))),
    "resize_backward": (dict(dout=f(1, 1, 4, 6), input=[1, 1, 2, 3], mode="linear"), dict(dinput=(1, 1, 2, 3))),
    "resize_forward": (dict(input=f(1, 1, 2, 3), out_shape=[1, 1, 4, 6], mode="linear"), dict(out=(1, 1, 4, 6))),
    "gather_nd_backward": (dict(dout=f(4, 3), indices=i(5, 4, 1), input_shape=[5, 3]), dict(dinput=(5, 3))),
    "gather_elements_backward": (dict(dout=f(4, 3), indices=i(5, 4, 3), input_shape=[5, 3]), dict(dinput=(5, 3))),
    "index_add": (dict(input=f(5, 3), indices=i(5, 2), source=f(2, 3)), dict(output=(5, 3))),
    "slice_backward": (dict(dout=f(2, 3), input_shape=[5, 3], starts=[1], ends=[3]), dict(dinput=(5, 3))),
    "pad_and_unflatten": (dict(input=f(3, 2), indices=np.array([0, 2, 5]), batch=2, length=3), dict(output=(2, 3, 2))),
    "flatten_and_unpad": (dict(input=f(2, 3, 2), indices=np.array([0, 2, 5]), unflatten_dims=True), dict(output=(3, 2), unflatten_dims=(2, 3))),
    "view": (dict(input=f(5), numel=[2, 3], copies=1, offsets=True), dict(outputs=[(2,), (3,)], offsets=(0, 2))),
    "copy": (dict(inputs=[f(3), f(2, 2)]), dict(outputs=[(3,), (2, 2)])),
    "group": (dict(inputs=[f(3)], done=True), dict(done=True)),
    "record_event": (dict(event="event", inputs=[f(3)]), dict(outputs=[(3,)])),
    "wait_event": (dict(event="event", inputs=[f(3)]), dict(outputs=[(3,)])),
    "yield": (dict(outputs=[f(3), f(2)], gradients=[f(3), f(2)]), {}),
    "all_reduce": (dict(communicator="communicator", inputs=[f(3)]), dict(outputs=[(3,)])),
    "all_gather": (dict(communicator="communicator", inputs=[f(3)], outputs=[f(3)], ranks=1), dict(outputs=[(3,)])),
    "reduce_scatter": (dict(communicator="communicator", inputs=[f(3)], outputs=[f(3)], ranks=1), {}),
    "broadcast": (dict(communicator="communicator", tensors=[f(3)]), {}),
    "adasum_all_reduce": (dict(communicator="communicator", inputs=[f(3)], ranks=1), dict(outputs=[(3,)])),
    "megatron_f": (dict(input=f(3)), dict(output=(3,))),
    "megatron_g": (dict(input=f(3), backward=1), dict(output=(3,))),
    "matmul": (dict(a=f(3, 4), b=f(4, 5), c=f(3, 5), bias=f(5), d=f(3, 5), m=3, n=5, k=4, beta=1), dict(d=(3, 5))),
    "attention_forward": (dict(q=f(1, 4, 2, 8), k=f(1, 4, 1, 8), v=f(1, 4, 1, 8), out=f(1, 4, 2, 8), lse=f(1, 2, 4), **ATTENTION), dict(out=(1, 4, 2, 8), lse=(1, 2, 4))),
    "attention_backward": (dict(q=f(1, 4, 2, 8), k=f(1, 4, 1, 8), v=f(1, 4, 1, 8), out=f(1, 4, 2, 8), dout=f(1, 4, 2, 8), lse=f(1, 2, 4), dq=f(1, 4, 2, 8),
                                dk=f(1, 4, 1, 8), dv=f(1, 4, 1, 8), **ATTENTION), dict(dq=(1, 4, 2, 8), dk=(1, 4, 1, 8), dv=(1, 4, 1, 8))),
    "rope_forward": (dict(input=f(4, 2, 8), out=f(4, 2, 8), tokens=4, heads=2, head_dim=8), dict(out=(4, 2, 8))),
    "rope_backward": (dict(dout=f(4, 2, 8), dinput=f(4, 2, 8), tokens=4, heads=2, head_dim=8), dict(dinput=(4, 2, 8))),
    "amax": (dict(inputs=[f(3), f(2, 2)]), dict(amax=(1,))),
    "quantize": (dict(x=f(4, 6), granularity="row", has_transposed=1, inverse_out=True), dict(codes=(4, 6), codes_t=(6, 4), inverse_out=(4,))),
    "dequantize": (dict(codes=i(100, 4, 6).astype(np.uint8), inverse=f(4), granularity="row", dtype="f8_e4m3", element="f32"), dict(out=(4, 6))),
    "fp8_scale_update": (dict(history=f(3, 2), scale=f(2), inverse=True), dict(history=(3, 2), scale=(2,), inverse=(2,))),
    "scaled_matmul": (dict(a=i(100, 3, 32).astype(np.uint8), b=i(100, 5, 32).astype(np.uint8), scale_a=f(1), scale_b=f(1), dtype="f8_e4m3", out="f32"),
                      dict(d=(3, 5))),
    "moe_route": (dict(logits=f(5, 4), top_k=2), dict(experts=(5, 2), weights=(5, 2), counts=(4,))),
    "moe_route_backward": (dict(logits=f(5, 4), experts=EXPERTS, dweights=f(5, 2)), dict(dlogits=(5, 4))),
    "moe_plan": (dict(experts=EXPERTS, num_experts=4), dict(offsets=(5,), order=(10,), inverse=(5, 2))),
    "moe_permute": (dict(input=f(5, 3), **PLAN), dict(out=(10, 3))),
    "moe_permute_backward": (dict(dout=f(10, 3), inverse=PLAN["inverse"]), dict(dinput=(5, 3))),
    "moe_unpermute": (dict(rows=f(10, 3), weights=f(5, 2), **PLAN), dict(out=(5, 3))),
    "moe_unpermute_backward": (dict(dout=f(5, 3), rows=f(10, 3), weights=f(5, 2), **PLAN),
                               dict(drows=(10, 3), dweights=(5, 2))),
    "fill": (dict(value=2, out=f(5)), dict(out=(5,))),
    "normal": (dict(random=(1, 0), out=f(5)), dict(out=(5,))),
    "transpose": (dict(input=f(2, 3, 4)), dict(output=(2, 4, 3))),
}
# send and recv need another rank, the next two a function of the caller.
LEFT_OUT = {"send", "recv", "user_kernel", "callback"}


class WithHandles(unittest.TestCase):
    """Tests with a communicator of one rank and an event."""

    @classmethod
    def setUpClass(cls):
        communicator, event = (ctypes.c_void_p * 1)(), ctypes.c_void_p()
        check(lib.adj_host_comm_create(1, communicator))
        check(lib.adj_host_event_create(ctypes.byref(event)))
        cls.handles = {"communicator": communicator[0], "event": event.value}

    @classmethod
    def tearDownClass(cls):
        lib.adj_host_comm_destroy(cls.handles["communicator"])
        lib.adj_host_event_destroy(cls.handles["event"])

    def calls(self):
        """(operator, keywords, expected) of CALLS. The arrays may be written."""
        for name, (keywords, expected) in CALLS.items():
            yield name, {k: self.handles[v] if isinstance(v, str) and v in self.handles else copy.deepcopy(v) for k, v in keywords.items()}, expected


class Operators(WithHandles):
    def test_every_operator_is_here(self):
        self.assertEqual(set(adjoint.operators()), set(CALLS) | LEFT_OUT)

    def test_calls(self):
        for name, keywords, expected in self.calls():
            with self.subTest(name):
                result = getattr(adjoint.ops, name)(**keywords)
                again = adjoint.op(name, **keywords)
                self.assertEqual(type(result), type(again))
                if not expected:
                    self.assertIsNone(result)
                    continue
                if len(expected) > 1:
                    self.assertEqual(result._fields, tuple(expected))
                for value, shape in zip(result if len(expected) > 1 else [result], expected.values()):
                    if isinstance(shape, list):
                        self.assertEqual([v.shape for v in value], shape)
                    elif isinstance(value, np.ndarray):
                        self.assertEqual(value.shape, shape)
                    else:
                        self.assertEqual(value, shape)

    def test_results(self):
        a = [f(3), f(2, 2)]
        operands = dict(a=f(3, 4), b=f(4, 5), c=f(3, 5))
        product = adjoint.op("matmul", **operands, beta=1, d=f(3, 5), m=3, n=5, k=4)
        np.testing.assert_allclose(product, operands["a"] @ operands["b"] + operands["c"], rtol=1e-6)
        product = adjoint.op("matmul", **operands, beta=-0.5, d=f(3, 5), m=3, n=5, k=4)
        np.testing.assert_allclose(product, operands["a"] @ operands["b"] - operands["c"] / 2, rtol=1e-6, atol=1e-6)
        joined = adjoint.op("concat", inputs=[ones(3, 5), ones(3, 2)], outer=3)  # the lengths follow from the arrays
        self.assertEqual(joined.shape, (3, 7, 1))
        self.assertEqual([x.shape for x in adjoint.op("split", input=joined, outer=3, lengths=[5, 2])], [(15,), (6,)])
        self.assertEqual([x.shape for x in adjoint.split(joined[..., 0], [5, 2], axis=1)], [(3, 5), (3, 2)])
        np.testing.assert_array_equal(adjoint.concat([ones(3, 2, 5), 2 * ones(3, 1, 5)], axis=-2)[0, :, 0], [1, 1, 2])
        np.testing.assert_allclose(adjoint.op("concat", inputs=[ones(2, 3), 2 * ones(2, 1)], outer=2, lengths=[3, 1])[..., 0], [[1, 1, 1, 2]] * 2)
        for x, y in zip(adjoint.op("scale", inputs=a, scale=2.0), a):
            np.testing.assert_allclose(x, 2 * y)
        for x, y in zip(adjoint.op("scale", inputs=a, scale=np.array([3.0])), a):
            np.testing.assert_allclose(x, 3 * y, rtol=1e-6)
        for x, y in zip(adjoint.op("scale", inputs=a), a):
            np.testing.assert_allclose(x, y)
        total = ones(5, 3)
        result = adjoint.op("embedding_backward", dout=ones(2, 3), indices=np.array([1, 1]), num_embeddings=5, write_mode="accumulate", dweight=total)
        self.assertIs(result, total)
        np.testing.assert_array_equal(total[:, 0], [1, 3, 1, 1, 1])

    def test_reduce_in_segments(self):
        x = np.arange(12, dtype=np.float32).reshape(2, 6)
        result, errors = adjoint.op("reduce", input=x, axes=[1], offsets=np.array([0, 2, 2, 6, 1]), segments=4, error_flag=np.zeros(1, np.int64))
        np.testing.assert_array_equal(result, [[1, 0, 14, 0], [13, 0, 38, 0]])
        np.testing.assert_array_equal(errors, [1])

    def test_an_integer_may_be_given_for_a_field_that_could_be_inferred(self):
        x = f(2, 3, 4)
        np.testing.assert_array_equal(adjoint.op("softmax_forward", input=x, outer=6, extent=4, inner=1).reshape(2, 3, 4), adjoint.softmax(x))

    def test_shapes_as_programs_have_them(self):
        indices, dout = i(5, 2, 2), f(2, 2, 2, 3)
        one = adjoint.op("gather_backward", dout=dout, indices=indices, outer=2, num_indices=4, inner=3, extent=5, dinput=np.zeros((2, 5, 3), np.float32))
        np.testing.assert_array_equal(one, adjoint.op("gather_backward", dout=dout.reshape(2, 4, 3), indices=indices, extent=5))
        plan = adjoint.select("gather_backward", outer=2, num_indices=4, inner=3, extent=5, element="f32", index="i64")
        plan.can_implement(dout=dout, indices=indices, dinput=one)
        plan.can_implement(dout=dout.reshape(2, 2, 2, 1, 1, 1, 1, 1, 3), indices=indices, dinput=one)  # more than a call can state
        for wrong in ((4, 2, 3), (2, 12), (24,), (3, 4, 2)):
            with self.assertRaises(adjoint.InvalidError) as raised:
                plan.can_implement(dout=dout.reshape(wrong), indices=indices, dinput=one)
            self.assertEqual(str(raised.exception), f"gather_backward: dout has shape {list(wrong)}, the descriptor says [2, 4, 3]")
        with self.assertRaises(adjoint.InvalidError) as raised:
            adjoint.op("softmax_backward", dout=f(6, 4), out=f(4, 6), outer=6, extent=4)
        self.assertEqual(str(raised.exception), "softmax_backward: out has shape [4, 6], expected [6, 4, 1]")

    def test_verbs(self):
        keywords = dict(input=f(2, 3, 4))
        self.assertEqual(adjoint.ops.softmax_forward.sku(**keywords).op, "softmax_forward")
        self.assertTrue(adjoint.ops.softmax_forward.explain(**keywords))
        np.testing.assert_array_equal(adjoint.ops.softmax_forward.bind(**keywords)(), adjoint.ops.softmax_forward(**keywords))

    def test_a_function_of_the_caller(self):
        seen, x, y, context = [], f(3), f(3), np.array([7])

        def function(call):
            (source, size), = call.inputs
            (target, _), = call.outputs
            ctypes.memmove(target, source, size)
            seen.append((size, ctypes.c_int64.from_address(call.context).value, repr(call.stream)))

        adjoint.op("callback", function=function, inputs=[x], outputs=[y], context=context)
        self.assertEqual(seen, [(12, 7, "adjoint.Stream(host)")])
        np.testing.assert_array_equal(x, y)

    def test_an_exception_of_a_function_of_the_caller(self):
        def fails(call):
            raise KeyError("lost")

        def calls_another(call):
            adjoint.softmax(np.ones((2, 3), np.int32))

        bound = adjoint.ops.callback.bind(function=fails, inputs=[f(3)], outputs=[f(3)])
        plan = adjoint.select("callback", function=fails, input_numel=[3], output_numel=[3], element="f32")
        for call in (lambda: adjoint.op("callback", function=fails, inputs=[f(3)], outputs=[f(3)]), bound, lambda: plan.run(inputs=[f(3)], outputs=[f(3)])):
            for _ in range(2):
                with self.assertRaisesRegex(KeyError, "lost"):
                    call()
        with self.assertRaisesRegex(adjoint.UnsupportedError, "softmax_forward: no kernel for element types i32"):
            adjoint.op("callback", function=calls_another, inputs=[f(3)], outputs=[f(3)])
        with self.assertRaises(adjoint.Error) as raised:
            adjoint.op("callback", function=lambda call: 5, inputs=[f(3)], outputs=[f(3)])
        self.assertEqual((raised.exception.code, raised.exception.native), (adjoint.Status.INVALID_VALUE, 5))
        # An exception inside a function of ctypes would be lost.
        from adjoint._generated import adj_callback_function
        with self.assertRaisesRegex(adjoint.InvalidError, "function = .* is not a Python function as such"):
            adjoint.op("callback", function=adj_callback_function(lambda call: 0), inputs=[f(3)], outputs=[f(3)])

    def test_fields_that_are_no_numbers(self):
        with self.assertRaisesRegex(adjoint.InvalidError, "reduce: axes is of type dict, expected a number, a string or, for a field, a list"):
            adjoint.op("reduce", input=f(3), axes={})
        np.testing.assert_allclose(adjoint.op("reduce", input=ones(2, 3), axes=np.array([0]), keepdims=0), [2, 2, 2])
