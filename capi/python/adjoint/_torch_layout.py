"""Layouts of tensors."""


def order_of(shape, strides):
    """The dimensions from the slowest to the fastest, as torch orders those of an elementwise result: by strides, then sizes; a stride of 0 says nothing."""
    order = list(range(len(shape)))
    for end in range(len(order) - 2, -1, -1):
        i = end
        for other in range(end + 1, len(order)):
            a, b = order[i], order[other]
            if strides[a] == 0 or strides[b] == 0:
                continue
            if (strides[a], shape[a]) < (strides[b], shape[b]):
                order[i], order[other], i = b, a, other
            elif strides[a] > strides[b]:
                break
    return order
