"""Attention with several heads, as a function of its weights."""
import math

import frit
from frit import _core
from frit.nn._noise import dropout

_neural = _core._neural


def _as_number_mask(mask, dtype):
    """-inf where a bool mask is True; other masks are added as they are."""
    if mask is None or mask.dtype is not frit.bool:
        return mask
    return _core.zeros(mask.shape, dtype=dtype).masked_fill(mask, float("-inf"))


def _projected(query, key, value, weight, bias, weights):
    """Queries, keys and values after the projections in."""
    linear = _neural["linear"]
    e = query.size(-1)
    if weights is not None:
        biases = bias.chunk(3) if bias is not None else (None, None, None)
        return [linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases)]
    if query is key and key is value:
        return list(linear(query, weight, bias).chunk(3, -1))
    q = linear(query, weight[:e], None if bias is None else bias[:e])
    if key is value:
        return [q, *linear(key, weight[e:], None if bias is None else bias[e:]).chunk(2, -1)]
    return [q, linear(key, weight[e:2 * e], None if bias is None else bias[e:2 * e]),
            linear(value, weight[2 * e:], None if bias is None else bias[2 * e:])]


def _longer(mask):
    """Room for one more key, which is not masked."""
    return None if mask is None else _neural["pad"](mask, (0, 1))


def _joint_mask(attn_mask, key_padding_mask, num_heads, dtype):
    """One mask to add: [1 or N * heads, L or 1, S], or None."""
    mask = _as_number_mask(attn_mask, dtype)
    if mask is not None and mask.dim() == 2:
        mask = mask.unsqueeze(0)
    if key_padding_mask is None:
        return mask
    padding = _as_number_mask(key_padding_mask, dtype)
    n, s = padding.shape
    padding = padding.reshape(n, 1, 1, s).expand(n, num_heads, 1, s).reshape(n * num_heads, 1, s)
    return padding if mask is None else mask + padding


def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k,
                                 bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True,
                                 key_padding_mask=None, need_weights=True, attn_mask=None,
                                 use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None,
                                 v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True,
                                 is_causal=False):
    """What nn.MultiheadAttention computes: (output, weights or None), of [L, N, E] or [L, E]."""
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    single = query.dim() == 2
    if single:
        same_key, same_value = key is query, value is key
        query = query.unsqueeze(1)
        key = query if same_key else key.unsqueeze(1)
        value = key if same_value else value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, e = query.shape
    if e != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {e}")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias, separate)
    if bias_k is not None and bias_v is not None:
        k, v = _core.cat([k, bias_k.repeat(1, batch, 1)]), _core.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _longer(attn_mask), _longer(key_padding_mask)

    def by_head(x):
        return x.reshape(x.size(0), batch * num_heads, e // num_heads).transpose(0, 1)

    q = by_head(q)
    k = by_head(k) if static_k is None else static_k
    v = by_head(v) if static_v is None else static_v
    if add_zero_attn:
        zeros = _core.zeros(batch * num_heads, 1, e // num_heads, dtype=q.dtype)
        k, v = _core.cat([k, zeros], 1), _core.cat([v, zeros], 1)
        attn_mask, key_padding_mask = _longer(attn_mask), _longer(key_padding_mask)
    mask = _joint_mask(attn_mask, key_padding_mask, num_heads, q.dtype)
    dropped = dropout_p if training else 0.0
    weights = None
    if need_weights:
        scaled = q * math.sqrt(1.0 / q.size(-1))
        scores = _core.bmm(scaled, k.transpose(-2, -1)) if mask is None else _core.baddbmm(mask, scaled,
                                                                                           k.transpose(-2, -1))
        weights = _core.softmax(scores, -1)
        if dropped > 0:
            weights = dropout(weights, dropped)
        attended = _core.bmm(weights, v)
    else:
        def by_batch(x):
            return x.reshape(batch, num_heads, x.size(1), x.size(2))

        if mask is not None:
            mask = mask.unsqueeze(0) if mask.size(0) == 1 else by_batch(mask)
        attended = _neural["scaled_dot_product_attention"](by_batch(q), by_batch(k), by_batch(v), mask, dropped)
        attended = attended.reshape(batch * num_heads, length, -1)
    output = _neural["linear"](attended.transpose(0, 1).reshape(length, batch, e), out_proj_weight, out_proj_bias)
    if weights is not None:
        weights = weights.reshape(batch, num_heads, length, -1)
        weights = weights.mean(1) if average_attn_weights else weights
        weights = weights.squeeze(0) if single else weights
    return (output.squeeze(1) if single else output), weights
