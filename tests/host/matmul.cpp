// The matrix product on the host stream: products by hand, every layout against a plain loop, epilogues against the activation operators, gradients
// against finite differences, and refused input.
#include <cmath>
#include <string>
#include <vector>

#include <adjoint/ops/activation.h>
#include <adjoint/ops/matmul.h>
#include <doctest/doctest.h>

#include "base/dtype.hpp"
#include "support.hpp"

namespace {

using namespace support;
using Numbers = std::vector<double>;

adj_matmul_descriptor descriptor(std::int64_t m, std::int64_t n, std::int64_t k, int ta = 0, int tb = 0) {
  adj_matmul_descriptor d;
  d.m = m, d.n = n, d.k = k;
  d.transpose_a = ta, d.transpose_b = tb;
  d.element = ADJ_F64;
  return d;
}
void call(const adj_matmul_descriptor& d, const adj_matmul_args& a) {
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
}
Numbers product(const adj_matmul_descriptor& d, Numbers a, Numbers b, Numbers out, Numbers bias = {}) {
  adj_matmul_args args;
  args.a = tensor(a), args.b = tensor(b), args.d = tensor(out);
  if (!bias.empty()) args.bias = tensor(bias);
  call(d, args);
  return out;
}
std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

TEST_CASE("matmul by hand") {
  const Numbers a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, -1, 3, 1};  // 2 by 3; 3 by 2
  CHECK(product(descriptor(2, 2, 3), a, b, Numbers(4)) == Numbers{14, 1, 32, 1});
  CHECK(product(descriptor(2, 2, 3, 1, 1), {1, 4, 2, 5, 3, 6}, {1, 2, 3, 0, -1, 1}, Numbers(4)) == Numbers{14, 1, 32, 1});
  auto d = descriptor(2, 2, 3);
  d.alpha = 2;
  d.has_bias = 1;
  CHECK(product(d, a, b, Numbers(4), {10, 20}) == Numbers{38, 22, 74, 22});
  auto sum = descriptor(2, 2, 3);
  sum.write_mode = ADJ_WRITE_ACCUMULATE;
  CHECK(product(sum, a, b, Numbers(4, 100)) == Numbers{114, 101, 132, 101});
  auto empty = descriptor(2, 2, 0);
  empty.has_bias = 1;
  CHECK(product(empty, {}, {}, Numbers(4, 9), {3, 4}) == Numbers{3, 4, 3, 4});
  CHECK(product(descriptor(2, 0, 3), a, {}, {}).empty());

  // c, and c that is d itself.
  auto with_c = descriptor(2, 2, 3);
  with_c.beta = -2;
  Numbers x = a, y = b, c{1, 2, 3, 4}, out(4);
  adj_matmul_args args;
  args.a = tensor(x), args.b = tensor(y), args.c = tensor(c), args.d = tensor(out);
  call(with_c, args);
  CHECK(out == Numbers{12, -3, 26, -7});
  args.d = args.c;
  call(with_c, args);
  CHECK(c == Numbers{12, -3, 26, -7});
}

TEST_CASE("matmul: every layout is the plain loop, and what lies between rows is kept") {
  const std::int64_t m = 17, n = 131, k = 19, batch = 3;
  for (int ta : {0, 1})
    for (int tb : {0, 1})
      for (bool beside : {false, true}) {
        auto d = descriptor(m, n, k, ta, tb);
        d.batch = batch;
        const std::int64_t a_columns = ta ? m : k, b_columns = tb ? k : n;
        d.lda = beside ? batch * a_columns + 1 : a_columns + 2, d.ldb = beside ? batch * b_columns : b_columns + 1, d.ldd = beside ? batch * n + 2 : n + 3;
        d.stride_a = beside ? a_columns : d.lda * (ta ? k : m) + 5, d.stride_b = beside ? b_columns : 7, d.stride_d = beside ? n : d.ldd * m + 1;
        auto span = [&](std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t stride) {
          return (batch - 1) * stride + (rows - 1) * ld + columns;
        };
        const Numbers a = wave(span(ta ? k : m, a_columns, d.lda, d.stride_a), 0.3), b = wave(span(tb ? n : k, b_columns, d.ldb, d.stride_b), 1.1);
        const Numbers before(at(span(m, n, d.ldd, d.stride_d)), 77);
        Numbers expected = before;
        for (std::int64_t i = 0; i < batch; ++i)
          for (std::int64_t r = 0; r < m; ++r)
            for (std::int64_t c = 0; c < n; ++c) {
              double s = 0;
              for (std::int64_t q = 0; q < k; ++q)
                s += a[at(i * d.stride_a + (ta ? q * d.lda + r : r * d.lda + q))] * b[at(i * d.stride_b + (tb ? c * d.ldb + q : q * d.ldb + c))];
              expected[at(i * d.stride_d + r * d.ldd + c)] = s;
            }
        CHECK(product(d, a, b, before) == expected);
      }
}

TEST_CASE("matmul: epilogues are those of the activation operators") {
  const std::int64_t m = 7, n = 5, k = 6;
  Numbers a = wave(m * k, 0.2), b = wave(n * k, 0.9), bias = wave(n, 2), plain(at(m * n)), out = plain, z = plain, expected = plain, slope = plain;
  auto d = descriptor(m, n, k, 0, 1);
  d.has_bias = 1;
  plain = product(d, a, b, plain, bias);
  adj_activation_forward_descriptor f;
  f.inner = m * n;
  f.function = ADJ_ACTIVATION_GELU_TANH;
  f.element = ADJ_F64;
  adj_activation_forward_args fa;
  fa.input = tensor(plain), fa.out = tensor(expected);
  REQUIRE(run(f, fa).ok());
  d.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH;
  d.has_preactivation = 1;
  adj_matmul_args args;
  args.a = tensor(a), args.b = tensor(b), args.bias = tensor(bias), args.d = tensor(out), args.preactivation = tensor(z);
  call(d, args);
  CHECK(z == plain);
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(std::fabs(out[i] - expected[i]) < 1e-14);

  auto g = descriptor(m, n, k, 0, 1);
  Numbers dout = product(g, a, b, Numbers(at(m * n)));
  adj_activation_backward_descriptor fb;
  fb.inner = m * n;
  fb.function = ADJ_ACTIVATION_GELU_TANH;
  fb.element = ADJ_F64;
  adj_activation_backward_args ba;
  ba.dout = tensor(dout), ba.saved = tensor(z), ba.dinput = tensor(slope);
  REQUIRE(run(fb, ba).ok());
  g.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD;
  adj_matmul_args ga;
  ga.a = tensor(a), ga.b = tensor(b), ga.saved = tensor(z), ga.d = tensor(out);
  call(g, ga);
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(std::fabs(out[i] - slope[i]) < 1e-14);
}

TEST_CASE("matmul: the three products of a linear layer with gelu_tanh are its gradients") {
  const std::int64_t rows = 5, in = 4, mid = 6, outs = 3;
  Numbers x = wave(rows * in, 0.1), w1 = wave(mid * in, 0.5), b1 = wave(mid, 0.8), w2 = wave(outs * mid, 1.7), u = wave(rows * outs, 2.2);
  auto loss = [&] {
    auto first = descriptor(rows, mid, in, 0, 1);
    first.has_bias = 1;
    first.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH;
    const Numbers h = product(first, x, w1, Numbers(at(rows * mid)), b1), y = product(descriptor(rows, outs, mid, 0, 1), h, w2, Numbers(at(rows * outs)));
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * u[i];
    return sum;
  };
  auto first = descriptor(rows, mid, in, 0, 1);
  first.has_bias = 1;
  const Numbers z = product(first, x, w1, Numbers(at(rows * mid)), b1);
  // dz = (u w2) * gelu'(z); dw1 = dz^T x with db1; dx = dz w1
  Numbers saved = z, dz(at(rows * mid)), dw(at(mid * in), 1), db(at(mid), 1);
  auto back = descriptor(rows, mid, outs);
  back.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD;
  adj_matmul_args args;
  args.a = tensor(u), args.b = tensor(w2), args.saved = tensor(saved), args.d = tensor(dz);
  call(back, args);
  auto weight = descriptor(mid, in, rows, 1, 0);
  weight.has_dbias = 1;
  weight.write_mode = ADJ_WRITE_ACCUMULATE;
  adj_matmul_args wargs;
  wargs.a = tensor(dz), wargs.b = tensor(x), wargs.d = tensor(dw), wargs.dbias = tensor(db);
  call(weight, wargs);
  const Numbers dx = product(descriptor(rows, in, mid), dz, w1, Numbers(at(rows * in)));
  auto check = [&](Numbers& parameter, const Numbers& gradient, double before) {
    for (std::size_t i = 0; i < parameter.size(); ++i) {
      constexpr double h = 1e-6;
      const double old = parameter[i];
      parameter[i] = old + h;
      const double up = loss();
      parameter[i] = old - h;
      const double difference = (up - loss()) / (2 * h);
      parameter[i] = old;
      CHECK(std::fabs(gradient[i] - before - difference) < 1e-8 * (1 + std::fabs(difference)));
    }
  };
  check(w1, dw, 1);
  check(b1, db, 1);
  check(x, dx, 0);
}

TEST_CASE("matmul: 16-bit operands with an f32 result are rounded once") {
  std::vector<adj::bf16> a{adj::to_bf16(1), adj::to_bf16(0x1p-9)}, b{adj::to_bf16(1), adj::to_bf16(1)}, rounded(1);
  std::vector<float> out(1);
  auto d = descriptor(1, 1, 2);
  d.element = ADJ_BF16;
  d.out = ADJ_F32;
  adj_matmul_args args;
  args.a = tensor(a), args.b = tensor(b), args.d = tensor(out);
  call(d, args);
  CHECK(out[0] == 1 + 0x1p-9f);
  d.out = ADJ_DTYPE_NONE;
  args.d = tensor(rounded);
  call(d, args);
  CHECK(adj::to_double(rounded[0]) == 1);
}

TEST_CASE("matmul refuses what contradicts itself") {
  auto message = [](auto change, adj_status expected = ADJ_ERROR_INVALID_PROBLEM) {
    auto d = descriptor(4, 5, 6);
    d.batch = 2;
    change(d);
    std::string text;
    CHECK(select_status(d, &text) == expected);
    return text;
  };
  auto has = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  using D = adj_matmul_descriptor;
  has(message([](D& d) { d.m = -1; }), "m = -1 is negative (m was not given)");
  has(message([](D& d) { d.batch = -2; }), "batch = -2 is negative");
  has(message([](D& d) { d.lda = 5; }), "lda = 5 is below the 6 columns of a as stored");
  has(message([](D& d) { d.lda = 3, d.transpose_a = 1; }), "lda = 3 is below the 4 columns of a as stored");
  has(message([](D& d) { d.ldb = 4; }), "ldb = 4 is below the 5 columns of b");
  has(message([](D& d) { d.ldd = 4; }), "ldd = 4 is below the 5 columns of d");
  has(message([](D& d) { d.stride_b = -3; }), "stride_b = -3 is negative");
  has(message([](D& d) { d.stride_d = 19; }), "stride_d = 19 lets the 2 matrices of 4 by 5 elements overlap, with ldd = 5");
  has(message([](D& d) { d.ldd = 9, d.stride_d = 5; }), "stride_d = 5 lets the 2 matrices");
  has(message([](D& d) { d.stride_d = 0, d.ldd = 10, d.stride_d = 5; }, ADJ_OK), "");
  has(message([](D& d) { d.alpha = 0; }), "alpha = 0 is 0 in the type of the arithmetic");
  has(message([](D& d) { d.alpha = 1e300, d.element = ADJ_F32; }), "alpha = 1e+300, expected a finite number in f32");
  has(message([](D& d) { d.beta = ADJ_NAN; }), "beta = nan, expected a finite number");
  has(message([](D& d) { d.out = ADJ_F32; }, ADJ_ERROR_UNSUPPORTED), "out = f32, expected one of element, accumulator(element)");
  has(message([](D& d) { d.element = ADJ_DTYPE_NONE, d.out = ADJ_F32; }, ADJ_ERROR_UNSUPPORTED), "element was not given");
  has(message([](D& d) { d.epilogue = adj_matmul_epilogue{4}; }, ADJ_ERROR_INVALID_ARGUMENT), "epilogue = 4 is not a known value");
  has(message([](D& d) { d.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH, d.beta = 1; }), "beta = 1 is set, but the epilogue takes no c");
  has(message([](D& d) { d.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD, d.has_bias = 1; }), "has_bias = 1 does not go with");
  has(message([](D& d) { d.has_preactivation = 1; }), "has_preactivation = 1 is set, which needs epilogue == gelu_tanh");
  has(message([](D& d) { d.has_dbias = 1; }), "has_dbias = 1 is set, which needs transpose_a && batch == 1");
  has(message([](D& d) { d.has_dbias = d.transpose_a = 1; }), "has_dbias = 1 is set, which needs transpose_a && batch == 1");
  has(message([](D& d) { d.write_mode = ADJ_WRITE_ACCUMULATE, d.has_bias = 1; }), "has_bias = 1 does not go with accumulate");
  has(message([](D& d) { d.write_mode = ADJ_WRITE_ACCUMULATE, d.beta = 1; }), "beta = 1 does not go with accumulate");
  has(message([](D& d) { d.write_mode = ADJ_WRITE_ACCUMULATE, d.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH; }), "(accumulate) needs the epilogue none");
  has(message([](D& d) { d.m = std::int64_t{1} << 40, d.k = std::int64_t{1} << 30; }), "of a overflows 64 bits");

  // Overlapping buffers, and the leave to overlap.
  Numbers x(36), y(36);
  adj_matmul_args args;
  args.a = args.b = tensor(x), args.d = tensor(y);
  CHECK(run(descriptor(6, 6, 6), args).ok());
  args.d = tensor(x);
  auto refused = run(descriptor(6, 6, 6), args);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ADJ_ERROR_ALIASING);
}

TEST_CASE("matmul on a device: what is launched for each layout, and which kernel takes what") {
  auto launches = [](const adj_matmul_descriptor& d, const char* sku) {
    auto plan = select(d, *adj::offline_stream(std::string_view(sku) == "tensor_cores" ? "sm_80" : "sm_90a"));
    REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
    CHECK((*plan)->sku->variant->algorithm == std::string_view(sku));
    std::vector<std::string> names;
    for (const adj::Step& step : (*plan)->steps)
      if (const auto* kernel = std::get_if<adj::KernelStep>(&step)) names.push_back(kernel->program->entry());
    return names;
  };
  using Names = std::vector<std::string>;
  auto of = [](std::int64_t m, std::int64_t n, std::int64_t k, int ta, int tb, adj_dtype element = ADJ_BF16) {
    auto d = descriptor(m, n, k, ta, tb);
    d.element = element;
    return d;
  };
  const std::int64_t large = 4096;
  auto forward = of(large, large, 768, 0, 1);
  forward.has_bias = 1;
  CHECK(launches(forward, "tensor_cores") == Names{"matmul_cores"});
  CHECK(launches(forward, "warpgroups") == Names{"matmul_pipeline"});
  CHECK(launches(of(large, large, 768, 0, 0), "tensor_cores") == Names{"matmul_cores"});
  CHECK(launches(of(large, large - 1, 768, 0, 0), "tensor_cores") == Names{"gemm_pack", "matmul_cores"});
  // A round of 16-bit results has at most 16384 products an element.
  CHECK(launches(of(large, large, 16384, 0, 1), "tensor_cores") == Names{"matmul_cores"});
  CHECK(launches(of(large, large, 16392, 0, 1), "tensor_cores") == Names{"matmul_cores", "matmul_finish"});
  auto deep = of(large, large, 65536, 0, 1);
  deep.out = ADJ_F32;
  CHECK(launches(deep, "tensor_cores") == Names{"matmul_cores"});
  auto gradient = of(768, 768, 65536, 1, 0);
  gradient.out = ADJ_F32;
  gradient.write_mode = ADJ_WRITE_ACCUMULATE;
  gradient.has_dbias = 1;
  CHECK(launches(gradient, "tensor_cores") == Names{"matmul_cores", "matmul_finish", "gemm_column_sums", "matmul_finish"});
  CHECK(launches(of(large, large, 768, 1, 1), "tensor_cores") == Names{"matmul_cores"});
  auto curved = of(16, 16, 16, 0, 1);
  curved.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH;
  adj_preference exact;
  exact.math = ADJ_MATH_IEEE;
  CHECK(select(of(16, 16, 16, 0, 1), *adj::offline_stream("sm_90a"), &exact).ok());
  auto refused = select(curved, *adj::offline_stream("sm_90a"), &exact);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ADJ_ERROR_UNSUPPORTED);
  CHECK(select(curved, adj::host_stream(), &exact).ok());
  CHECK(launches(of(9, 9, 0, 0, 1), "tiles") == Names{"matmul_finish"});
  CHECK(launches(of(large, large, 768, 0, 1, ADJ_F32), "tiles") == Names{"gemm_tiles", "matmul_finish"});
}

TEST_CASE("matmul on a device: sizes beyond what a kernel counts in 32 bits are refused, with the extent") {
  auto refused = [](adj_matmul_descriptor d, adj_dtype element, const char* sku, const char* reason) {
    d.element = element;
    adj_preference only;
    only.sku = sku;
    auto plan = select(d, *adj::offline_stream("sm_90a"), &only);
    REQUIRE_FALSE(plan.ok());
    CHECK(plan.error().code == ADJ_ERROR_UNSUPPORTED);
    INFO(plan.error().message);
    CHECK(plan.error().message.find(reason) != std::string::npos);
  };
  auto taken = [](adj_matmul_descriptor d, adj_dtype element, const char* sku) {
    d.element = element;
    adj_preference only;
    only.sku = sku;
    auto plan = select(d, *adj::offline_stream("sm_90a"), &only);
    CHECK_MESSAGE(plan.ok(), (plan ? std::string() : plan.error().message));
  };
  const char *cores = "*/tensor_cores/*", *tiles = "*/tiles/*";
  const std::int64_t most = 2147483135;  // extents of tensor cores; with a tile and a step more they are below 2^31
  taken(descriptor(most, 8, 8, 0, 1), ADJ_BF16, cores);
  refused(descriptor(most + 1, 8, 8, 0, 1), ADJ_BF16, cores, "takes at most m = 2147483135, has 2147483136");
  refused(descriptor(8, most + 1, 8, 0, 1), ADJ_BF16, cores, "takes at most n = 2147483135, has 2147483136");
  refused(descriptor(8, 8, most + 1, 0, 1), ADJ_BF16, cores, "takes at most k = 2147483135, has 2147483136");
  taken(descriptor(most, 8, 72, 0, 1), ADJ_BF16, cores);
  refused(descriptor(most, 8, 9, 0, 1), ADJ_BF16, cores, "takes at most 2147483647 vectors of 8 elements in A, has 1 times 2147483135 times 2");
  refused(descriptor(8, most, 9, 0, 1), ADJ_BF16, cores, "takes at most 2147483647 vectors of 8 elements in B, has 1 times 2147483135 times 2");
  const std::int64_t index = 2147483391;  // of tiles
  taken(descriptor(index, 1, 1), ADJ_F32, tiles);
  refused(descriptor(index + 1, 1, 1), ADJ_F32, tiles, "takes at most m = 2147483391, has 2147483392");
  refused(descriptor(1, index + 1, 1), ADJ_F32, tiles, "takes at most n = 2147483391, has 2147483392");
  refused(descriptor(1, 1, index + 1), ADJ_F32, tiles, "takes at most k = 2147483391, has 2147483392");
  auto apart = descriptor(1, 8, 8, 0, 1);
  apart.ldb = std::int64_t{1} << 31;
  refused(apart, ADJ_F32, tiles, "elements between columns of op(B), has 2147483648");
}
