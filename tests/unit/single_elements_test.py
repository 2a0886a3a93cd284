"""Which kernels move single elements where rows are not aligned. Everything else reads rows that begin anywhere in vectors of 16 bytes (kernels/prelude/row_vectors.cuh,
row_piece.cuh, cut.cuh), and single elements only at the two ends of a row. A kernel that comes to call one of these functions has to be named here, with its reason."""
import pathlib
import re
import sys

KERNELS = pathlib.Path(__file__).resolve().parent.parent.parent / 'kernels'
CALLS = re.compile(r'\b(?:gather_elements|scatter_elements|read_elements|write_elements|load_vector|store_vector|load_some|load_any|store_any)\b')
ENDS = 'the ends of a row or of the tensor'
ALLOWED = {
    'activation/gated.cu': 'unaligned rows: faster than vectors cut out of words (kernels/activation/README.md)',
    'activation/pointwise.cu': 'unaligned rows: faster than vectors cut out of words (kernels/activation/README.md)',
    'attention/cores.cuh': 'heads that are not aligned',
    'attention/cores_backward_q.cu': 'heads that are not aligned',
    'batch_norm/resident.cu': ENDS,
    'batch_norm/sums_last.cu': ENDS,
    'elementwise/div.cu': 'unaligned tensors',
    'fill/elements.cuh': ENDS,
    'fp8/amax.cu': 'unaligned tensors',
    'fp8/codes.cuh': 'unaligned rows',
    'fp8/decode.cu': 'unaligned rows',
    'fp8/product.cu': 'unaligned rows of codes, and results of a matrix of the hardware',
    'fp8/largest.cu': 'unaligned tensors',
    'fp8/pieces.cu': 'unaligned rows',
    'fp8/rows.cu': 'unaligned rows',
    'fp8/tile.cu': 'unaligned rows',
    'gemm/column_sums.cu': 'channels that are not aligned',
    'loss/forward.cu': ENDS,
    'loss/linear_rows.cu': 'scores and gradients that begin unaligned: chunks have rows of a multiple of 16 bytes',
    'loss/with_gradient_cluster.cu': 'gradients that lie otherwise in their words than the scores, and ' + ENDS,
    'moe/gather.cu': 'unaligned rows',
    'moe/scatter.cu': 'unaligned rows',
    'norm/any_type.cuh': 'rows that no block and no cluster holds',
    'norm/backward_columns.cu': 'rows that no block and no cluster holds',
    'norm/forward_long.cu': 'rows that no block and no cluster holds',
    'quantize/fake_quantize.cu': 'unaligned tensors',
    'reduce/columns.cu': ENDS,
    'reduce/part.cuh': ENDS,
    'reduce/terms.cuh': ENDS,
    'resize/backward_doubled.cu': ENDS,
    'resize/forward_doubled.cu': ENDS,
    'resize/parts.cuh': ENDS,
    'resize/repeat.cu': ENDS,
    'shape/transpose.cu': 'unaligned tensors',
    'softmax/forward_staged.cu': 'out of shared memory',
    'softmax/row_any.cu': ENDS,
    'softmax/row_staged.cu': 'out of shared memory, where the operands lie otherwise in their words than the result',
    'softmax/tile.cu': 'tiles whose rows are not aligned',
}
found = {str(path.relative_to(KERNELS)) for suffix in ('*.cu', '*.cuh') for path in KERNELS.rglob(suffix)
         if path.parent.name != 'prelude' and CALLS.search(re.sub(r'//.*', '', path.read_text(encoding='utf-8')))}
if found != set(ALLOWED):
    sys.exit(f'FAIL: move single elements and are not named: {sorted(found - set(ALLOWED))}; are named and do not: {sorted(set(ALLOWED) - found)}')
