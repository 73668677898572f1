"""Recurrent layers and attention: values that PyTorch gives, forms of the arguments, what is refused."""
from harness import TestCase, frit, main

F = frit.nn.functional


def ramp(*sizes, start=0):
    """Numbers between -1 and 1 that any program can make."""
    count = 1
    for size in sizes:
        count *= size
    return ((frit.arange(count) + start) * 7 % 19 - 9).float().reshape(*sizes) / 9


def layer(gates, layers=1, directions=1, biases=True):
    """Weights for inputs of 3 and states of 2."""
    weights = []
    for number in range(layers * directions):
        inputs = 3 if number < directions else 2 * directions
        weights += [ramp(gates * 2, inputs, start=number), ramp(gates * 2, 2, start=number + 5)]
        if biases:
            weights += [ramp(gates * 2, start=number + 3), ramp(gates * 2, start=number + 8)]
    return weights


# What PyTorch makes of these.
LSTM_Y = [-0.176734, 0.4019937, -0.1821963, 0.3655802, -0.1742598, 0.3659562]
LSTM_C = [-1.4727867, 0.8164834]
GRU_Y = [-0.9673589, 0.329172, -0.9520231, 0.7006948, -0.9426358, 0.8775607]
TANH_Y = [0.6067134, 0.6442655, 0.8677356, 0.9632397, 0.8341118, 0.9825343]
RELU_Y = [0.7037037, 0.7654321, 1.3319616, 2.1316872, 0.9134279, 3.6375551]
DEEP_Y = [-0.1602622, 0.3489727, 0.368097, 0.0456297, -0.3611678, 0.2757044, 0.2879773, 0.119864, -0.4147935,
    0.3222719, 0.360148, -0.2979683, -0.277901, -0.0152977, 0.1983263, -0.0538349, -0.4405536, 0.0823845, 0.1247035,
    -0.0519805, -0.5190873, 0.1202667, 0.0496582, 0.147387]
DEEP_H = [-0.1742598, 0.3659562, 0.0884565, 0.2028431, 0.2402436, -0.5204082, 0.3948435, -0.2785214, -0.4147935,
    0.3222719, -0.5190873, 0.1202667, 0.368097, 0.0456297, 0.1983263, -0.0538349]
DEEP_C = [-1.4727867, 0.8164834, 0.6733567, 0.4849718, 0.266467, -0.9398867, 0.6843534, -1.1496563, -0.9222253,
    0.9920592, -1.2112702, 0.377873, 1.3017277, 0.0653099, 0.4669296, -0.081983]
ATTENTION_Y = [-0.4697555, -1.8481239, 0.9601739, -2.5293057, -1.1176444, -1.4702994, 0.3126716, -2.1510944]
ATTENTION_WEIGHTS = [0.3913877, 0.2512906, 0.3573217, 0.3181448, 0.3601838, 0.3216714]
MASKED_Y = [-0.5445163, -1.9765776, 0.8028147, -2.7403576, -1.3627663, -1.2822912, 0.1072994, -1.9233366]
RESPONSE = [-0.5501906, -0.126976, 0.3056614, -0.4291207, 0.0, 0.4291207, -0.3241032, 0.126976]
WEIGHT = [-1.7162327, -0.381385, 0.9534627, -2.1213205, 0.0, 2.1213205]


class RecurrentTestCase(TestCase):
    def assert_near(self, tensor, shape, values, tolerance=2e-6):
        self.assertEqual(tuple(tensor.shape), shape)
        got = tensor.flatten().tolist()
        self.assertEqual(len(got), len(values))
        for number, (g, v) in enumerate(zip(got, values)):
            self.assertTrue(abs(g - v) <= tolerance, f"element {number}: {g} is not {v}")


class Layers(RecurrentTestCase):
    def test_lstm(self):
        y, h, c = frit.lstm(ramp(3, 1, 3), (ramp(1, 1, 2), ramp(1, 1, 2, start=1)), layer(4), True, 1, 0.0, False,
                            False, False)
        self.assert_near(y, (3, 1, 2), LSTM_Y)
        self.assert_near(h, (1, 1, 2), LSTM_Y[-2:])
        self.assert_near(c, (1, 1, 2), LSTM_C)

    def test_gru(self):
        y, h = frit.gru(ramp(3, 1, 3), ramp(1, 1, 2), layer(3), True, 1, 0.0, False, False, False)
        self.assert_near(y, (3, 1, 2), GRU_Y)
        self.assert_near(h, (1, 1, 2), GRU_Y[-2:])

    def test_plain(self):
        for function, values in ((frit.rnn_tanh, TANH_Y), (frit.rnn_relu, RELU_Y)):
            y, h = function(ramp(3, 1, 3), ramp(1, 1, 2), layer(1, biases=False), False, 1, 0.0, False, False, False)
            self.assert_near(y, (3, 1, 2), values)
            self.assert_near(h, (1, 1, 2), values[-2:])

    def test_several_in_both_directions_with_the_batch_first(self):
        y, h, c = frit.lstm(ramp(2, 3, 3), (ramp(4, 2, 2), ramp(4, 2, 2, start=1)), layer(4, 2, 2), True, 2, 0.0,
                            False, True, True)
        self.assert_near(y, (2, 3, 4), DEEP_Y)
        self.assert_near(h, (4, 2, 2), DEEP_H)
        self.assert_near(c, (4, 2, 2), DEEP_C)

    def test_are_refused_where_weights_or_states_do_not_fit(self):
        x, h = ramp(3, 1, 3), ramp(1, 1, 2)
        for call in (lambda: frit.gru(x, h, layer(3)[:3], True, 1, 0.0, False, False, False),
                     lambda: frit.gru(x, h, layer(4), True, 1, 0.0, False, False, False),
                     lambda: frit.gru(x, ramp(2, 1, 2), layer(3), True, 1, 0.0, False, False, False),
                     lambda: frit.gru(x, ramp(1, 2, 2), layer(3), True, 1, 0.0, False, False, False),
                     lambda: frit.gru(ramp(1, 3), h, layer(3), True, 1, 0.0, False, False, False),
                     lambda: frit.gru(x[:0], h, layer(3), True, 1, 0.0, False, False, False),
                     lambda: frit.gru(x.double(), h, layer(3), True, 1, 0.0, False, False, False),
                     lambda: frit.lstm(x, (h,), layer(4), True, 1, 0.0, False, False, False)):
            self.assertEqual(self.error_of(call)[0], RuntimeError)
        self.assertEqual(self.error_of(lambda: frit.gru(x, h, layer(3), True, 1, 0.5, True, False, False))[0],
                         NotImplementedError)


class Cells(RecurrentTestCase):
    def test_are_layers_of_one_step(self):
        x, h, c = ramp(2, 3), ramp(2, 2), ramp(2, 2, start=1)
        for biases in (True, False):
            w = layer(4, biases=biases)
            y, _, last = frit.lstm(x.unsqueeze(0), (h.unsqueeze(0), c.unsqueeze(0)), w, biases, 1, 0.0, False, False,
                                   False)
            new_h, new_c = frit.lstm_cell(x, (h, c), *w)
            self.assertEqual(new_h.tolist(), y[0].tolist())
            self.assertEqual(new_c.tolist(), last[0].tolist())
            for gates, whole, cell in ((3, frit.gru, frit.gru_cell), (1, frit.rnn_tanh, frit.rnn_tanh_cell),
                                       (1, frit.rnn_relu, frit.rnn_relu_cell)):
                w = layer(gates, biases=biases)
                y, _ = whole(x.unsqueeze(0), h.unsqueeze(0), w, biases, 1, 0.0, False, False, False)
                self.assertEqual(cell(x, h, *w).tolist(), y[0].tolist())


class Plans(RecurrentTestCase):
    def test_give_the_same_bits(self):
        w, state = layer(4), (ramp(1, 2, 2), ramp(1, 2, 2))

        def function(x):
            y, h, c = frit.lstm(x * 2, state, w, True, 1, 0.0, False, False, False)
            return y.relu().sum(0) + h[0] * c[0]

        compiled, x = frit.compile(function), ramp(5, 2, 3)
        wanted = function(x).tolist()
        for _ in range(4):
            self.assertEqual(compiled(x).tolist(), wanted)


class Attention(RecurrentTestCase):
    def run_attention(self, need_weights=True, **options):
        q, k = ramp(2, 1, 4), ramp(3, 1, 4, start=2)
        return F.multi_head_attention_forward(
            q, k, k, 4, 2, ramp(12, 4), ramp(12), None, None, False, 0.0, ramp(4, 4, start=3), ramp(4), training=False,
            need_weights=need_weights, **options)

    def test_of_two_heads(self):
        y, weights = self.run_attention()
        self.assert_near(y, (2, 1, 4), ATTENTION_Y)
        self.assert_near(weights, (1, 2, 3), ATTENTION_WEIGHTS)
        y, weights = self.run_attention(need_weights=False)
        self.assertIsNone(weights)
        self.assert_near(y, (2, 1, 4), ATTENTION_Y)

    def test_masks_hide_keys(self):
        mask = frit.tensor([[False, True, False], [False, False, True]])
        padding = frit.tensor([[True, False, False]])
        y, weights = self.run_attention(attn_mask=mask)
        self.assert_near(y, (2, 1, 4), MASKED_Y)
        self.assertEqual((weights[0, 0, 1].item(), weights[0, 1, 2].item()), (0.0, 0.0))
        y, weights = self.run_attention(key_padding_mask=padding, average_attn_weights=False)
        self.assertEqual(tuple(weights.shape), (1, 2, 2, 3))
        self.assertEqual(weights[..., 0].abs().sum().item(), 0.0)

    def test_refuses_another_width(self):
        kind, _ = self.error_of(lambda: F.multi_head_attention_forward(
            ramp(2, 1, 4), ramp(2, 1, 4), ramp(2, 1, 4), 5, 2, ramp(12, 4), None, None, None, False, 0.0, ramp(4, 4),
            None))
        self.assertEqual(kind, AssertionError)


class Norms(RecurrentTestCase):
    def test_across_channels(self):
        self.assert_near(F.local_response_norm(ramp(1, 4, 2), 3, 0.5, 0.75, 2.0), (1, 4, 2), RESPONSE)
        self.assertEqual(self.error_of(lambda: F.local_response_norm(ramp(2, 2), 2))[0], ValueError)

    def test_of_weights(self):
        self.assert_near(frit._weight_norm(ramp(2, 3), frit.tensor([[2.], [3.]])), (2, 3), WEIGHT)


class Columns(RecurrentTestCase):
    def test_have_their_names(self):
        x = ramp(1, 2, 4, 4)
        columns = frit.im2col(x, (2, 2), (1, 1), (0, 0), (2, 2))
        self.assertEqual(columns.tolist(), F.unfold(x, 2, stride=2).tolist())
        self.assertEqual(frit.col2im(columns, (4, 4), (2, 2), (1, 1), (0, 0), (2, 2)).tolist(), x.tolist())


if __name__ == "__main__":
    main()
