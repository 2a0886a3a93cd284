// What is launched for some problems, on the offline device sm_90a, against a record. The order of additions follows from the launches, and the speed does:
// a change is seen here before a measurement sees it. A row that is to change is printed as it has to stand in the record.
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "base/text.hpp"
#include "cli/descriptor.hpp"
#include "plan/plan.hpp"

namespace {

struct Row {
  const char *problem, *launches;
};
constexpr Row kRecord[] = {
    {"reduce shape=4096,4096 axes=1 kind=sum element=f32", "split: reduce_rows 2048x1 of 256; workspace 0; 085d3695"},
    {"reduce shape=4096,4096 axes=0 kind=sum element=bf16", "split: reduce_columns 256x1 of 256, reduce_columns 16x1 of 256; workspace 131072; 6d394827"},
    {"reduce shape=100000,64 axes=0 kind=sum element=f32", "split: reduce_columns 238x1 of 256, reduce_columns 2x1 of 256; workspace 60928; 6d394827"},
    {"reduce shape=100000,24 axes=0 kind=sum element=f32", "split: reduce_columns 195x1 of 256, reduce_columns 1x1 of 256; workspace 18720; 6d394827"},
    {"reduce shape=33,100000 axes=0 kind=sum element=bf16", "split: reduce_columns 782x1 of 256; workspace 0; 085d3695"},
    {"reduce shape=16,2000,200 axes=1 kind=max element=f32", "split: reduce_columns 256x1 of 256, reduce_columns 16x1 of 256; workspace 102400; 6d394827"},
    {"reduce shape=100000,7 axes=1 kind=logsumexp element=f32", "short_rows: reduce_short_rows 391x1 of 256 sharing 7200 bytes; workspace 0; 085d3695"},
    {"reduce shape=300,100000 axes=0,1 kind=sum element=f32", "split: reduce_rows 1152x1 of 256, reduce_rows 1x1 of 256; workspace 4608; 6d394827"},
    {"softmax_forward outer=4096 extent=1000 element=bf16", "row: softmax_forward 512x1 of 256; workspace 0; 8fcb9650"},
    {"softmax_forward outer=512 extent=50304 element=f32", "row: softmax_forward 512x1 of 512; workspace 0; c1b6efe6"},
    {"softmax_forward outer=64 extent=262144 element=f32", "row: softmax_forward 64x1 of 512; workspace 0; c1b6efe6"},
    {"softmax_forward outer=64 extent=1024 inner=256 element=bf16", "strided: softmax_forward_strided 512x1 of 256; workspace 0; 3fcda0b5"},
    {"softmax_backward outer=4096 extent=16384 element=bf16", "row: softmax_backward_row4 4096x1 of 512; workspace 0; 1b3928ab"},
    {"softmax_backward outer=512 extent=65536 element=f32",
     "row_cluster: softmax_backward_row_cluster4 1024x1 of 512 in clusters of 8 sharing 65536 bytes; workspace 0; 1b3928ab"},
    {"softmax_backward outer=64 extent=300 inner=77 element=f32", "tile: softmax_backward_tile_any 192x1 of 320 sharing 40960 bytes; workspace 0; b874cced"},
    {"layer_norm_forward shape=8192,768 axis=1 element=bf16", "row: norm_forward_row 2048x1 of 128; workspace 0; c75ce887"},
    {"layer_norm_forward shape=4096,513 axis=1 element=f32", "row: norm_forward_staged 4096x1 of 64 sharing 2096 bytes; workspace 0; 138764ae"},
    {"layer_norm_forward shape=3000000000,513 axis=1 element=f32", "long: norm_forward_long_any 2147483647x1 of 512; workspace 0; 138764ae"},
    {"rms_norm_forward shape=4096,65 axis=1 element=bf16", "row: norm_forward_row_any 128x1 of 128; workspace 0; 060b10d6"},
    {"rms_norm_backward shape=4096,31 axis=1 has_dgamma=1 element=bf16",
     "row: norm_backward_row_any 32x1 of 256 sharing 83968 bytes, norm_finish 1x1 of 512; workspace 8192; 23f592c9"},
    {"rms_norm_backward shape=4096,513 axis=1 has_dgamma=1 element=bf16",
     "row: norm_backward_row_ahead 264x1 of 256 sharing 113664 bytes, norm_finish 17x1 of 512; workspace 1098240; 23f592c9"},
    {"layer_norm_forward shape=512,100001 axis=1 element=f32",
     "row_cluster: norm_forward_row_cluster_any 4096x1 of 416 in clusters of 8; workspace 0; 138764ae"},
    {"layer_norm_backward shape=8192,768 axis=1 has_dgamma=1 has_dbeta=1 element=bf16",
     "row: norm_backward_row 264x1 of 256 sharing 113664 bytes, norm_finish 24x2 of 512; workspace 1622016; 5974aded"},
    {"layer_norm_backward shape=512,30000 axis=1 has_dgamma=1 has_dbeta=1 element=f32",
     "row_cluster: norm_backward_row_cluster 128x1 of 480 in clusters of 4 sharing 230400 bytes, norm_finish 235x2 of 512; workspace 7680000; 0476b7cf"},
    {"layer_norm_backward shape=512,65536 axis=1 has_dgamma=1 has_dbeta=1 element=f32",
     "row_cluster: norm_backward_row_cluster 128x1 of 512 in clusters of 8 sharing 229376 bytes, norm_finish 512x2 of 512; workspace 8388608; 74a31b52"},
    {"layer_norm_backward shape=512,100001 axis=1 has_dgamma=1 has_dbeta=1 element=bf16",
     "row_cluster: norm_backward_row_cluster_ahead 128x1 of 416 in clusters of 8 sharing 226304 bytes, norm_finish 782x2 of 512; workspace 12801024; 9c3fb8f6"},
    {"rms_norm_backward shape=4096,4096 axis=1 has_dgamma=1 element=bf16",
     "row: norm_backward_row 132x1 of 512 sharing 229376 bytes, norm_finish 128x1 of 512; workspace 4325376; d8a04024"},
    {"cross_entropy_with_gradient samples=8192 num_classes=128256 element=bf16 label=i64",
     "row_cluster: softmax_cross_entropy_loss_backward_normalizer 2x1 of 1024, cross_entropy_with_gradient_cluster 8192x1 of 256 in clusters of 4 sharing "
     "64144 bytes, softmax_cross_entropy_loss_total 2x1 of 1024, softmax_cross_entropy_loss_total 1x1 of 1024; workspace 131360; e44b5ed2"},
    {"cross_entropy_with_gradient samples=8192 num_classes=1000 element=f32 label=i64",
     "row: softmax_cross_entropy_loss_backward_normalizer 2x1 of 1024, cross_entropy_with_gradient_resident 8192x1 of 64, softmax_cross_entropy_loss_total 2x1 "
     "of 1024, softmax_cross_entropy_loss_total 1x1 of 1024; workspace 131360; 80f535ea"},
    {"linear_cross_entropy samples=400 hidden=256 num_classes=1000 padded_classes=1024 chunk_rows=256 with_gradient=1 element=bf16 label=i64",
     "own_cluster: linear_cross_entropy_scale 1x1 of 1024, matmul_cores 8x1 of 256 sharing 98304 bytes, cross_entropy_with_gradient_resident 32x1 of 256, "
     "matmul_cores 4x1 of 256 sharing 98304 bytes, matmul_finish 256x1 of 256, linear_loss_rows 256x1 of 512, matmul_cores 8x1 of 256 sharing 98304 bytes, "
     "matmul_cores 8x1 of 256 sharing 98304 bytes, cross_entropy_with_gradient_resident 18x1 of 256, matmul_cores 4x1 of 256 sharing 98304 bytes, "
     "matmul_finish 144x1 of 256, linear_loss_rows 144x1 of 512, matmul_cores 8x1 of 256 sharing 98304 bytes, linear_cross_entropy_total 1x1 of 1024; "
     "workspace 1050880; 916f6c61"},
    {"linear_cross_entropy_backward samples=256 hidden=256 num_classes=1000 reduction=none softcap=30 element=bf16 label=i64",
     "own_cluster: linear_cross_entropy_scale 1x1 of 1024, matmul_cores 8x1 of 256 sharing 98304 bytes, linear_loss_rows 256x1 of 512, "
     "cross_entropy_with_gradient_resident 32x1 of 256, linear_loss_rows 256x1 of 512, matmul_cores 4x1 of 256 sharing 98304 bytes, matmul_finish 256x1 of "
     "256, linear_loss_rows 256x1 of 512, matmul_cores 8x1 of 256 sharing 98304 bytes; workspace 1549824; 4ef70210"},
    {"linear_log_prob samples=4096 hidden=1024 num_classes=32000 element=bf16 label=i64",
     "own: matmul_cores 132x1 of 256 sharing 98304 bytes, log_prob_entropy 2048x1 of 256, matmul_cores 132x1 of 256 sharing 98304 bytes, log_prob_entropy "
     "2048x1 of 256; workspace 131072000; 070f424d"},
    {"cross_entropy_with_gradient samples=32768 num_classes=512 element=bf16 label=i64",
     "row: softmax_cross_entropy_loss_backward_normalizer 8x1 of 1024, cross_entropy_with_gradient_resident 2048x1 of 256, softmax_cross_entropy_loss_total "
     "1x1 of 1024; workspace 33024; 2b41a3e3"},
    {"softmax_cross_entropy_loss batch=8192 num_classes=50257 element=f32 label=i64",
     "row_online: softmax_cross_entropy_loss_row 8192x1 of 512, softmax_cross_entropy_loss_total 2x1 of 1024, softmax_cross_entropy_loss_total 1x1 of 1024; "
     "workspace 131104; 9c79ffed"},
    {"softmax_cross_entropy_loss batch=8 num_classes=150 inner=65536 element=bf16 label=i64",
     "strided: softmax_cross_entropy_loss_strided 16384x1 of 256, softmax_cross_entropy_loss_total 4x1 of 1024, softmax_cross_entropy_loss_total 1x1 of 1024; "
     "workspace 262208; b139ab1d"},
    {"softmax_cross_entropy_loss_backward batch=8192 num_classes=50304 element=bf16 label=i64",
     "row: softmax_cross_entropy_loss_backward_normalizer 2x1 of 1024, softmax_cross_entropy_loss_backward_normalizer 1x1 of 1024, "
     "softmax_cross_entropy_loss_backward_row 8192x1 of 256; workspace 264; 7e8849bb"},
    {"soft_label_cross_entropy_loss rows=4096 num_classes=1000 element=f32",
     "row: soft_label_cross_entropy_loss 4096x1 of 64, softmax_cross_entropy_loss_total 1x1 of 1024; workspace 65536; ce3217c6"},
    {"log_prob_entropy samples=4096 num_classes=32000 element=bf16 label=i64", "row: log_prob_entropy 4096x1 of 256; workspace 0; 88807571"},
    {"activation_forward outer=8192 inner=3072 function=gelu element=bf16", "vector: activation_forward 3072x1 of 256; workspace 0; b5e14289"},
    {"activation_backward outer=8192 inner=3072 function=gelu has_dbias=1 element=bf16",
     "vector_dbias: activation_backward 512x1 of 256, column_sum 96x1 of 512; workspace 3145728; f18964c3"},
    {"gated_activation_backward outer=8192 inner=11008 function=swiglu element=bf16",
     "vector: gated_activation_backward 24576x1 of 256; workspace 0; 1fa09966"},
    {"bias_softmax_dropout_forward rows=4096 columns=1000 element=bf16", "row: bias_softmax_dropout_forward 512x1 of 256; workspace 0; 0cb3b106"},
    {"rope_forward tokens=8192 heads=32 kv_heads=8 head_dim=128 element=bf16", "heads: rope 2048x1 of 320 sharing 2048 bytes; workspace 0; 275bec2b"},
    {"rope_backward tokens=8192 heads=8 kv_heads=8 head_dim=64 has_norm=1 element=f32",
     "heads: rope_norm_backward 256x1 of 256 sharing 16896 bytes, column_sum 2x2 of 512; workspace 131072; 2b8e8efe"},
    {"batch_norm_forward outer=32 channels=256 inner=3136 training=1 element=f32",
     "two_pass: batch_norm_forward_sums 256x5 of 256, batch_norm_finish 8x1 of 512, batch_norm_forward_apply 4224x1 of 256; workspace 24576; 2f85a511"},
    {"batch_norm_forward outer=100000 channels=256 training=1 element=bf16",
     "two_pass: batch_norm_forward_sums_last 264x1 of 256, batch_norm_finish 8x1 of 512, batch_norm_forward_apply_last 396x1 of 256; workspace 1085440; "
     "a4367932"},
    {"batch_norm_backward outer=32 channels=1024 inner=196 element=f32",
     "resident: batch_norm_backward_resident 1024x1 of 256 sharing 51232 bytes; workspace 0; 2b28ab99"},
    {"batch_norm_backward outer=32 channels=256 inner=49 element=bf16",
     "resident: batch_norm_backward_resident 64x1 of 256 in clusters of 2 sharing 27392 bytes; workspace 0; 2b28ab99"},
    {"group_norm_forward outer=8 channels=320 inner=4096 groups=32 element=f16",
     "two_pass: group_norm_forward_sums 256x5 of 256, group_norm_forward_finish 32x1 of 256, group_norm_forward_apply 4224x1 of 256; workspace 61440; "
     "3f7130f2"},
    {"group_norm_backward outer=8 channels=1280 inner=256 groups=32 element=f16",
     "two_pass: group_norm_backward_sums 10240x1 of 32, group_norm_backward_finish 32x1 of 256, group_norm_weights 40x2 of 512, group_norm_backward_apply "
     "1280x1 of 256; workspace 245760; 2b7558ae"},
    {"group_norm_backward outer=2 channels=6 inner=49 groups=3 element=f32",
     "two_pass: group_norm_backward_sums 12x1 of 32, group_norm_backward_finish 1x1 of 256, group_norm_weights 1x2 of 512, group_norm_backward_apply 1x1 of "
     "256; workspace 448; e8bfa2a4"},
    {"resize_forward input=2,8,128,64 out=2,8,256,128 mode=linear element=f32", "doubled: resize_forward_doubled 34x1 of 256; workspace 0; acb966a6"},
    {"resize_forward input=2,8,100,100 out=2,8,333,77 mode=linear coordinates=align_corners element=bf16",
     "gather: resize_tables 4x1 of 128, resize_any_rows 666x1 of 256; workspace 9888; db6a139f"},
    {"resize_forward input=2,64,64,32 out=2,128,128,32 mode=linear channels_last=1 element=f32",
     "doubled: resize_forward_doubled_channels 37x1 of 256; workspace 0; acb966a6"},
    {"resize_forward input=2,8,64,64 out=2,8,128,128 mode=nearest element=f32", "repeat: resize_repeat_forward 64x1 of 256; workspace 0; 3124d778"},
    {"resize_backward input=2,8,64,64 out=2,8,192,192 mode=nearest element=bf16",
     "gather: resize_tables 5x1 of 128, resize_rows 128x1 of 256; workspace 5152; 6a8cda2a"},
    {"resize_backward input=2,8,100,100 out=2,8,333,77 mode=linear element=f32",
     "gather: resize_tables 5x1 of 128, resize_any_rows 200x1 of 256; workspace 6528; db6a139f"},
    {"embedding_forward num_embeddings=50257 embedding_dim=768 num_indices=8192 element=bf16 index=i64",
     "row_copy: embedding_forward 768x1 of 256; workspace 0; 61e03edd"},
    {"embedding_backward num_embeddings=128256 embedding_dim=4096 num_indices=16384 element=bf16 index=i64",
     "grouped: embedding_sort_rows 32x1 of 512 sharing 16032 bytes, index_sort_scatter 32x1 of 512 sharing 71808 bytes, index_sort_scatter 32x1 of 512 sharing "
     "71808 bytes, embedding_rows 264x1 of 256, embedding_shares_wide 396x1 of 256, embedding_combine 132x1 of 256, embedding_sum_wide 8x256 of 256, "
     "embedding_rows 660x1 of 256; workspace 4587776; 3227a94d"},
    {"embedding_backward num_embeddings=50257 embedding_dim=768 num_indices=1048576 element=f32 index=i32",
     "grouped: embedding_sort_rows 128x1 of 512 sharing 6284 bytes, index_sort_scatter 128x1 of 512 sharing 44160 bytes, index_sort_scatter 128x1 of 512 "
     "sharing 44160 bytes, embedding_rows 660x1 of 256, embedding_shares_wide 396x1 of 256, embedding_sum_wide 3x1024 of 256, embedding_combine 528x1 of 256; "
     "workspace 67371264; 4da7193a"},
    {"embedding_backward num_embeddings=50257 embedding_dim=512 num_indices=262144 element=f32 index=i32",
     "grouped: embedding_sort_rows 128x1 of 512 sharing 6284 bytes, index_sort_scatter 128x1 of 512 sharing 44160 bytes, index_sort_scatter 128x1 of 512 "
     "sharing 44160 bytes, embedding_rows 660x1 of 256, embedding_shares_wide 396x1 of 256, embedding_sum_wide 2x1024 of 256, embedding_combine 528x1 of 256; "
     "workspace 12845312; 20e5c676"},
    {"embedding_backward num_embeddings=50257 embedding_dim=64 num_indices=262144 element=f32 index=i32",
     "grouped: embedding_sort_rows 128x1 of 512, index_sort_scatter 128x1 of 512 sharing 44160 bytes, index_sort_scatter 128x1 of 512 sharing 44160 bytes, "
     "embedding_rows 660x1 of 256, embedding_shares_narrow 396x1 of 256, embedding_sum_narrow 1x2048 of 256, embedding_rows 660x1 of 256, embedding_combine "
     "528x1 of 256; workspace 4456704; 0a2ad6ce"},
    {"embedding_backward num_embeddings=4096 embedding_dim=1024 num_indices=64 element=f32 index=i64",
     "few: embedding_backward_few 51x8 of 256; workspace 0; a38c84de"},
    {"embedding_bag_forward num_embeddings=100000 embedding_dim=64 num_indices=1048576 num_bags=16384 element=f32 index=i32",
     "sum: embedding_bag_sum 1024x1 of 256; workspace 0; 0bc86f62"},
    {"embedding_bag_forward num_embeddings=100000 embedding_dim=64 num_indices=1048576 num_bags=16 element=f32 index=i32",
     "sum: embedding_bag_sum 16x1 of 256; workspace 0; 0bc86f62"},
    {"embedding_bag_forward num_embeddings=100000 embedding_dim=256 num_indices=1048576 num_bags=16384 mode=max element=bf16 index=i64",
     "max: embedding_bag_max 2048x1 of 256; workspace 0; 0bc86f62"},
    {"embedding_bag_backward num_embeddings=100000 embedding_dim=64 num_indices=65536 num_bags=1024 element=f32 index=i32",
     "grouped: embedding_bag_map 64x1 of 256, embedding_bag_sort_rows 64x1 of 512, index_sort_scatter 64x1 of 512 sharing 71808 bytes, index_sort_scatter 64x1 "
     "of 512 sharing 71808 bytes, embedding_bag_sources 256x1 of 256, embedding_rows 256x1 of 256, embedding_bag_shares_wide 396x1 of 256, embedding_combine "
     "132x1 of 256, embedding_bag_sum_wide 1x2048 of 256, embedding_rows 660x1 of 256; workspace 1577216; d8a18875"},
    {"embedding_bag_backward num_embeddings=100000 embedding_dim=64 num_indices=1073741824 num_bags=1024 element=f32 index=i32",
     "grouped: embedding_bag_map 128x1 of 256, embedding_bag_sort_rows 128x1 of 512, index_sort_scatter 128x1 of 512 sharing 71808 bytes, index_sort_scatter "
     "128x1 of 512 sharing 71808 bytes, embedding_bag_sources 1056x1 of 256, embedding_rows 660x1 of 256, embedding_bag_shares_narrow 396x1 of 256, "
     "embedding_bag_sum_narrow 1x65535 of 256, embedding_rows 660x1 of 256, embedding_combine 528x1 of 256; workspace 21475365120; 430c5147"},
    {"embedding_bag_per_sample_weights_backward num_embeddings=100000 embedding_dim=64 num_indices=65536 num_bags=1024 element=f32 index=i32",
     "dot: embedding_bag_sample_weights 1024x1 of 256; workspace 0; 8ac0ddbf"},
    {"gather_backward extent=32000 inner=2048 num_indices=32768 element=bf16 index=i64",
     "grouped: gather_sort_rows 32x1 of 512 sharing 4000 bytes, index_sort_scatter 32x1 of 512 sharing 44160 bytes, index_sort_scatter 32x1 of 512 sharing "
     "44160 bytes, embedding_rows 660x1 of 256, gather_shares_wide 396x1 of 256, gather_combine 132x1 of 256, gather_sum_wide 512x4 of 256; workspace 4784384; "
     "36176036"},
    {"gather_backward outer=4096 extent=100 inner=3 num_indices=50 element=f32 index=i32",
     "grouped: gather_sort_small 1x1 of 1024 sharing 58496 bytes, gather_sum_panels 512x1 of 256 sharing 14880 bytes; workspace 456; c95dc908"},
    {"gather_backward outer=4096 extent=100 inner=1 num_indices=5000 element=f32 index=i32",
     "grouped: gather_sort_rows 10x1 of 512, index_sort_scatter 10x1 of 512 sharing 30336 bytes, gather_sum_panels 264x1 of 256 sharing 104192 bytes; "
     "workspace 85792; 81e65322"},
    {"gather_backward outer=64 extent=1000 inner=40 num_indices=50 element=f32 index=i32",
     "grouped: gather_sort_small 1x1 of 1024 sharing 39296 bytes, embedding_rows 1x1 of 256, gather_shares_across 32x1 of 256, gather_sum_across 4x16 of 256, "
     "embedding_rows 660x1 of 256; workspace 800; 8d1f6d8f"},
    {"slice_backward input_shape=64,1000 starts=1 ends=900 axes=1 steps=2 element=f32", "one_pass: slice_backward4 64x1 of 256; workspace 0; 9a26545e"},
    {"fill numel=10000000 element=f32", "vector: fill 4224x1 of 256; workspace 0; 2cafbf34"},
    {"fill numel=8589934592 element=bf16", "vector: fill 4224x1 of 256; workspace 0; 2cafbf34"},
    {"normal numel=1000 element=f32", "vector: normal 1x1 of 256; workspace 0; 57bacd65"},
    {"amax numel=100x1000000 element=bf16", "multi_tensor: clear 4 bytes, amax 12300x1 of 256; workspace 0; 778270e9"},
    {"quantize rows=16384 columns=4096 element=bf16", "vector: clear 4 bytes, largest_magnitude 1056x1 of 256, quantize 8192x1 of 256; workspace 4; 4b26f6e1"},
    {"quantize rows=16384 columns=4096 has_transposed=1 element=bf16",
     "vector: clear 4 bytes, largest_magnitude 1056x1 of 256, quantize 4096x1 of 256; workspace 4; e3b82c7d"},
    {"quantize rows=16384 columns=4096 granularity=row element=bf16", "vector: quantize 4224x1 of 256; workspace 0; 6eb037c1"},
    {"quantize rows=16384 columns=4096 granularity=row has_transposed=1 element=bf16",
     "vector: quantize 4224x1 of 256, quantize 4096x1 of 256; workspace 65536; 58cfa820"},
    {"quantize rows=16384 columns=4096 granularity=block_1x128 element=bf16", "vector: quantize 8192x1 of 256; workspace 0; 6eb037c1"},
    {"quantize rows=16384 columns=4096 granularity=block_1x128 has_transposed=1 scale_layout=gemm element=bf16",
     "vector: quantize 4096x1 of 256; workspace 0; 34848bcf"},
    {"quantize rows=16384 columns=4096 granularity=block_128x128 has_transposed=1 scale_layout=gemm element=bf16",
     "vector: quantize 4096x1 of 256; workspace 0; 34848bcf"},
    {"dequantize rows=16384 columns=4096 granularity=row code=f8_e4m3 element=bf16", "vector: dequantize 16384x1 of 256; workspace 0; 1fa09966"},
    {"scaled_matmul m=4096 n=4096 k=4096 granularity_a=block_1x128 granularity_b=block_128x128 scale_layout=gemm code_a=f8_e4m3 code_b=f8_e4m3 out=bf16",
     "tensor_cores: scaled_matmul 1024x1 of 256 sharing 65536 bytes; workspace 0; 812c6220"},
    {"fp8_scale_update length=1024 tensors=200", "columns: fp8_scale_update 7x1 of 256; workspace 0; 993512a5"},
    {"conv_backward input=8,64,56,56 weight=64,64,3,3 out=8,64,56,56 strides=1,1 pads=1,1,1,1 dilations=1,1 element=f32 has_dinput=1 has_dweight=1",
     "implicit_gemm: conv_big 196x1 of 256, gemm_tiles 245x1 of 256, conv_finish 144x1 of 256; workspace 7225344; b5a45262"},
    {"conv_forward input=8,64,56,56 weight=64,64,3,3 out=8,64,56,56 strides=1,1 pads=1,1,1,1 dilations=1,1 element=bf16",
     "tensor_cores: gemm_pack 392x1 of 256, gemm_pack 64x1 of 256, conv_cores 196x1 of 128 sharing 75264 bytes; workspace 3284992; 929b0317"},
    {"dropout_forward numel=10000000 element=f32", "vector: dropout_forward 2442x1 of 256; workspace 0; d4eca33d"},
    {"div_backward a_shape=4096,1024 b_shape=1024 element=f32",
     "sums: div_backward_columns_whole 1x1024 of 256, column_sum 32x1 of 512; workspace 4194304; 5eefe074"},
    {"transpose batch=64 rows=1000 columns=777 element=bf16", "tiles: transpose 13312x1 of 256; workspace 0; 0b37c253"},
    {"matmul m=4096 n=4096 k=4096 element=bf16 out=bf16", "warpgroups: matmul_pipeline 132x1 of 384 sharing 225280 bytes; workspace 0; 0da5f069"},
    {"resize_forward input=2,8,64,64 out=2,8,100,160 mode=linear element=f32",
     "gather: resize_tables 3x1 of 128, resize_rows 200x1 of 256; workspace 6272; 6a8cda2a"},
    {"resize_forward input=2,8,64,64 out=2,8,192,192 mode=nearest coordinates=asymmetric element=f32",
     "gather: resize_tables 4x1 of 128, resize_nearest 288x1 of 256; workspace 9248; f4124ca3"},
    {"embedding_backward num_embeddings=8192 embedding_dim=512 num_indices=64 element=f32 index=i64",
     "few: embedding_backward_few 100x4 of 256; workspace 0; a38c84de"},
    {"softmax_backward outer=512 extent=40000 element=f32",
     "row_cluster: softmax_backward_row_cluster4 1024x1 of 512 in clusters of 8 sharing 65536 bytes; workspace 0; 1b3928ab"},
    {"layer_norm_backward shape=512,40000 axis=1 has_dgamma=1 has_dbeta=1 element=f32",
     "row_cluster: norm_backward_row_cluster 128x1 of 320 in clusters of 8 sharing 204800 bytes, norm_finish 313x2 of 512; workspace 5120000; 5eecda14"},
    {"gather_backward outer=4096 extent=60000 inner=3 num_indices=20000 element=bf16 index=i32",
     "grouped: gather_sort_rows 20x1 of 512, index_sort_scatter 20x1 of 512 sharing 44160 bytes, index_sort_scatter 20x1 of 512 sharing 44160 bytes, "
     "embedding_rows 660x1 of 256, gather_shares_tiny 396x1 of 256, gather_combine 132x1 of 256, gather_sum_tiny 79x52 of 256; workspace 15697024; 5db77c6b"},
    {"softmax_cross_entropy_loss_backward batch=4096 num_classes=1000 element=f32 label=i32",
     "row: softmax_cross_entropy_loss_backward_normalizer 1x1 of 1024, softmax_cross_entropy_loss_backward_row 4096x1 of 64; workspace 8; 8ea6f612"},
    {"embedding_backward num_embeddings=50257 embedding_dim=128 num_indices=262144 element=f32 index=i32",
     "grouped: embedding_sort_rows 128x1 of 512, index_sort_scatter 128x1 of 512 sharing 44160 bytes, index_sort_scatter 128x1 of 512 sharing 44160 bytes, "
     "embedding_rows 660x1 of 256, embedding_shares_narrow 396x1 of 256, embedding_sum_narrow 1x2048 of 256, embedding_rows 660x1 of 256, embedding_combine "
     "528x1 of 256; workspace 6553856; 46ce5143"},
    {"moe_route tokens=8192 num_experts=128 top_k=8 score=softmax normalise=1 has_losses=1 balance=0.001 element=bf16",
     "warps: moe_route 256x1 of 256 sharing 16896 bytes, moe_route_finish 1x1 of 1024; workspace 264192; d3a3c804"},
    {"moe_route_backward tokens=8192 num_experts=128 top_k=8 score=softmax normalise=1 has_losses=1 balance=0.001 element=bf16",
     "warps: moe_route_backward 1024x1 of 256 sharing 16384 bytes; workspace 0; 43e5a82d"},
    {"moe_plan tokens=8192 num_experts=128 top_k=8 index=i32",
     "counting_sort: moe_plan_counts 32x1 of 256, moe_plan_places 32x1 of 256 sharing 5632 bytes; workspace 16384; 674b4889"},
    {"moe_permute tokens=8192 top_k=8 num_rows=65536 columns=2048 element=bf16", "scatter: moe_scatter 4224x1 of 256; workspace 0; 10e74588"},
    {"moe_unpermute tokens=8192 top_k=8 num_rows=65536 columns=2048 has_weights=1 element=bf16", "gather: moe_gather 4224x1 of 256; workspace 0; fd9b3421"},
    {"moe_unpermute_backward tokens=8192 top_k=8 num_rows=65536 columns=2048 has_weights=1 element=bf16",
     "scatter: moe_scatter_weighted 1024x1 of 256; workspace 0; 7b5d35b5"},
    {"moe_route tokens=100 num_experts=1024 top_k=64 score=sigmoid has_bias=1 groups=32 top_groups=16 element=f32",
     "warps: moe_route 4x1 of 64 sharing 36864 bytes, moe_route_finish 1x1 of 1024; workspace 16384; 771c48cd"},
    {"moe_plan tokens=64 num_experts=8 top_k=2 index=i64", "counting_sort: moe_plan_places 1x1 of 256 sharing 352 bytes; workspace 0; df61dd89"},
    {"moe_permute_backward tokens=8192 top_k=8 num_rows=65536 columns=1001 element=bf16", "gather: moe_gather_any 4224x1 of 256; workspace 0; d73f1c8f"},
    {"gather_nd_backward input_shape=0,4 indices_shape=5000,1 element=f32 index=i32", "grouped: index_keys 20x1 of 256; workspace 40000; 64943707"},
};

// Digits of a hash of what is written into the parameters of launches at a call: kinds and places, and offsets in the workspace. The parameters
// themselves have bytes between their members, which may hold anything.
class Digest {
 public:
  void add(std::uint64_t number) { text_ += fmt::format("{} ", number); }
  void add(const adj::Binding& binding) {
    for (const std::uint64_t number : {std::uint64_t{binding.kind}, std::uint64_t{binding.argument}, std::uint64_t{binding.offset}, binding.addend,
                                       std::uint64_t{binding.high}, std::uint64_t{binding.first}, std::uint64_t{binding.count}})
      add(number);
  }
  std::string digits() const { return adj::sha256_hex(text_).substr(0, 8); }

 private:
  std::string text_;
};

// "row: main 132x1 of 256, finish 4x1 of 64 sharing 1024 bytes; workspace 4096; 0123abcd"
std::string launches_of(const adj::Plan& plan) {
  std::string text;
  Digest digest;
  for (const adj::Step& step : plan.steps) {
    if (!step.in(false)) continue;
    text += text.empty() ? ": " : ", ";
    if (const auto* kernel = std::get_if<adj::KernelStep>(&step)) {
      const auto& c = kernel->config;
      text += fmt::format("{} {}x{} of {}", kernel->program->entry(), c.grid_x, c.grid_y, c.block_x * c.block_y * c.block_z);
      if (kernel->cluster > 1) text += fmt::format(" in clusters of {}", kernel->cluster);
      if (c.shared_bytes) text += fmt::format(" sharing {} bytes", c.shared_bytes);
      digest.add(kernel->params.size());
      digest.add(kernel->early);
      digest.add(kernel->unaligned_block);
      for (const adj::Binding& binding : kernel->bindings) digest.add(binding);
    } else if (const auto* memset = std::get_if<adj::MemsetStep>(&step)) {
      text += fmt::format("clear {} bytes", memset->bytes);
      digest.add(memset->offset);
    } else if (const auto* copy = std::get_if<adj::CopyStep>(&step)) {
      text += fmt::format("copy {} to {}", copy->from, copy->to);
    } else {
      text += "a step of the host";
    }
  }
  return fmt::format("{}{}; workspace {}; {}", plan.sku->variant->algorithm, text, plan.workspace_size, digest.digits());
}

std::string launches_of(const std::string& problem) {
  const std::vector<std::string> words = adj::split(problem, ' ');
  cli::Descriptor d(words[0]);
  for (std::size_t i = 1; i < words.size(); ++i) d.set(words[i]);
  adj_preference own;  // whatever libraries the machine has
  own.backend = ADJ_BACKEND_BESPOKE;
  auto plan = adj::select_plan(*adj::offline_stream("sm_90a"), d.header(), &own);
  if (!plan) return plan.error().message;
  std::string text = launches_of(**plan);
  adj::release(*plan);
  return text;
}

}  // namespace

TEST_CASE("problems have the launches of the record") {
  for (const Row& row : kRecord) {
    const std::string launches = launches_of(row.problem);
    CHECK_MESSAGE(launches == row.launches, "    {\"", std::string(row.problem), "\",\n     \"", launches, "\"},");
  }
}
