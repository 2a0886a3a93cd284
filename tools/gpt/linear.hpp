// The products of a linear layer y = x W^T + b, x [rows, in], W [out, in], forward and backward, as calls of a list.
#pragma once

#include "layout.hpp"
#include "support/engine.hpp"

namespace gpt {

class LinearLayers {
 protected:
  LinearLayers(Engine& engine, adj_dtype type, adj_dtype stat) : engine_(engine), type_(type), stat_(stat) {}
  ~LinearLayers() = default;

  template <class Descriptor, class Args>
  void add(Calls& to, const Descriptor& descriptor, const Args& args) {
    to.push_back(engine_.call(descriptor, args));
  }
  adjoint::MatmulDescriptor linear_forward_descriptor(std::int64_t rows, std::int64_t out, std::int64_t in, bool with_bias, bool with_gelu) const {
    return {.m = rows,
            .n = out,
            .k = in,
            .transpose_b = 1,
            .epilogue = with_gelu ? ADJ_MATMUL_EPILOGUE_GELU_TANH : ADJ_MATMUL_EPILOGUE_NONE,
            .has_bias = with_bias,
            .has_preactivation = with_gelu,
            .element = type_};
  }
  adjoint::MatmulArgs linear_forward_args(void* x, std::int64_t rows, std::int64_t out, std::int64_t in, void* weight, void* bias, void* y,
                                          void* preactivation) const {
    adjoint::MatmulArgs args{.a = tensor(x, type_, {rows, in}), .b = tensor(weight, type_, {out, in}), .d = tensor(y, type_, {rows, out})};
    if (bias) args.bias = tensor(bias, type_, {out});
    if (preactivation) args.preactivation = tensor(preactivation, type_, {rows, out});
    return args;
  }
  // With preactivation y is gelu_tanh of the product.
  void linear_forward(Calls& to, void* x, std::int64_t rows, std::int64_t out, std::int64_t in, void* weight, void* bias, void* y,
                      void* preactivation = nullptr) {
    add(to, linear_forward_descriptor(rows, out, in, bias != nullptr, preactivation != nullptr),
        linear_forward_args(x, rows, out, in, weight, bias, y, preactivation));
  }
  // dx = dy W, with preactivation times the slope of gelu_tanh there.
  void input_gradient(Calls& to, void* dy, std::int64_t rows, std::int64_t out, std::int64_t in, void* weight, void* dx, void* preactivation = nullptr) {
    adjoint::MatmulArgs args{.a = tensor(dy, type_, {rows, out}), .b = tensor(weight, type_, {out, in}), .d = tensor(dx, type_, {rows, in})};
    if (preactivation) args.saved = tensor(preactivation, type_, {rows, in});
    add(to,
        adjoint::MatmulDescriptor{
            .m = rows, .n = in, .k = out, .epilogue = preactivation ? ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD : ADJ_MATMUL_EPILOGUE_NONE, .element = type_},
        args);
  }
  // dW = dy^T x and, with db, db = sums of the rows of dy.
  void parameter_gradients(Calls& to, void* dy, void* x, std::int64_t rows, std::int64_t out, std::int64_t in, void* dweight, void* db, bool accumulate) {
    adjoint::MatmulArgs args{.a = tensor(dy, type_, {rows, out}), .b = tensor(x, type_, {rows, in}), .d = tensor(dweight, stat_, {out, in})};
    if (db) args.dbias = tensor(db, stat_, {out});
    add(to,
        adjoint::MatmulDescriptor{.m = out,
                                  .n = in,
                                  .k = rows,
                                  .transpose_a = 1,
                                  .has_dbias = db != nullptr,
                                  .write_mode = accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE,
                                  .element = type_,
                                  .out = stat_},
        args);
  }

  Engine& engine_;
  const adj_dtype type_, stat_;  // of activations; of statistics, gradients and weights of norms
};

}  // namespace gpt
