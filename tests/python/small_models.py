"""Small models of six kinds, written against whatever module is given as `torch`.

    models = make(frit)
    models["gpt"].build(), models["gpt"].inputs()
"""
import math
from types import SimpleNamespace


def make(torch):
    """Of each kind: build() gives a module, inputs() its inputs as nested lists' worth of tensors."""
    nn, F = torch.nn, torch.nn.functional

    class CausalAttention(nn.Module):
        def __init__(self, width, heads, length):
            super().__init__()
            self.heads = heads
            self.qkv = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)
            self.register_buffer("mask", torch.tril(torch.ones(length, length)).view(1, 1, length, length) == 0)

        def forward(self, x):
            n, t, c = x.size()
            q, k, v = (part.view(n, t, self.heads, c // self.heads).transpose(1, 2)
                       for part in self.qkv(x).split(c, dim=2))
            scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            scores = scores.masked_fill(self.mask[:, :, :t, :t], float("-inf"))
            y = F.softmax(scores, dim=-1) @ v
            return self.out(y.transpose(1, 2).contiguous().view(n, t, c))

    class GptBlock(nn.Module):
        def __init__(self, width, heads, length):
            super().__init__()
            self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attention = CausalAttention(width, heads, length)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width),
                                     nn.Dropout(0.1))

        def forward(self, x):
            x = x + self.attention(self.ln1(x))
            return x + self.mlp(self.ln2(x))

    class Gpt(nn.Module):
        """A language model of the GPT kind; its output shares the embedding's weight."""

        def __init__(self, words=61, width=32, heads=4, layers=2, length=16):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(words, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList([GptBlock(width, heads, length) for _ in range(layers)])
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, words, bias=False)
            self.head.weight = self.tokens.weight

        def forward(self, index):
            position = torch.arange(0, index.size(1), dtype=torch.long, device=index.device)
            x = self.tokens(index) + self.positions(position)
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    class Vit(nn.Module):
        """An image classifier: patches as words of a transformer."""

        def __init__(self, size=16, patch=4, width=32, heads=4, layers=2, classes=10):
            super().__init__()
            self.patches = nn.Conv2d(3, width, patch, stride=patch)
            self.cls = nn.Parameter(torch.zeros(1, 1, width))
            self.position = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.02)
            layer = nn.TransformerEncoderLayer(width, heads, 2 * width, activation="gelu", batch_first=True,
                                               norm_first=True)
            self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
            self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, classes))

        def forward(self, image):
            x = self.patches(image).flatten(2).transpose(1, 2)
            x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1) + self.position
            return self.head(self.encoder(x)[:, 0])

    def convolutions(inputs, outputs):
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs),
                             nn.ReLU(inplace=True), nn.Conv2d(outputs, outputs, 3, padding=1),
                             nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))

    class Unet(nn.Module):
        """An image segmenter: down, up again, with shortcuts."""

        def __init__(self, width=8):
            super().__init__()
            self.enter, self.down1 = convolutions(3, width), convolutions(width, 2 * width)
            self.down2 = convolutions(2 * width, 4 * width)
            self.pool = nn.MaxPool2d(2)
            self.up1 = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
            self.join1, self.join2 = convolutions(4 * width, 2 * width), convolutions(3 * width, width)
            self.up2 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.leave = nn.Conv2d(width, 2, 1)

        def forward(self, image):
            a = self.enter(image)
            b = self.down1(self.pool(a))
            c = self.down2(self.pool(b))
            y = self.join1(torch.cat([self.up1(c), b], dim=1))
            y = self.join2(torch.cat([self.up2(y), a], dim=1))
            return torch.sigmoid(self.leave(y))

    class LstmModel(nn.Module):
        """A language model on an LSTM of two layers."""

        def __init__(self, words=40, width=24):
            super().__init__()
            self.embedding = nn.Embedding(words, width)
            self.lstm = nn.LSTM(width, width, num_layers=2, batch_first=True, dropout=0.2)
            self.head = nn.Linear(width, words)

        def forward(self, index):
            y, (h, c) = self.lstm(self.embedding(index))
            return F.log_softmax(self.head(y), dim=-1), h, c

    class SelectiveScan(nn.Module):
        """A state space model whose steps depend on the input (Mamba's kind)."""

        def __init__(self, width=12, inner=24, states=4, rank=3):
            super().__init__()
            self.inner, self.states, self.rank = inner, states, rank
            self.norm = nn.LayerNorm(width)
            self.enter = nn.Linear(width, 2 * inner, bias=False)
            self.conv = nn.Conv1d(inner, inner, 4, groups=inner, padding=3)
            self.select = nn.Linear(inner, rank + 2 * states, bias=False)
            self.step = nn.Linear(rank, inner)
            decay = torch.arange(1, states + 1, dtype=torch.float32).repeat(inner, 1)
            self.log_decay = nn.Parameter(torch.log(decay))
            self.skip = nn.Parameter(torch.ones(inner))
            self.leave = nn.Linear(inner, width, bias=False)

        def scan(self, u):
            n, t, d = u.shape
            step, b, c = self.select(u).split([self.rank, self.states, self.states], dim=-1)
            step = F.softplus(self.step(step))
            decay = torch.exp(step.unsqueeze(-1) * -torch.exp(self.log_decay))
            entering = step.unsqueeze(-1) * b.unsqueeze(2) * u.unsqueeze(-1)
            h, ys = torch.zeros(n, d, self.states), []
            for i in range(t):
                h = decay[:, i] * h + entering[:, i]
                ys.append((h * c[:, i].unsqueeze(1)).sum(-1))
            return torch.stack(ys, dim=1) + u * self.skip

        def forward(self, x):
            u, gate = self.enter(self.norm(x)).chunk(2, dim=-1)
            u = self.conv(u.transpose(1, 2))[..., :x.shape[1]].transpose(1, 2)
            return x + self.leave(self.scan(F.silu(u)) * F.silu(gate))

    class SpeechCnn(nn.Module):
        """Letters by time from sound features: 1-d convolutions with gates."""

        def __init__(self, features=20, width=24, letters=28):
            super().__init__()
            self.enter = nn.Conv1d(features, width, 5, stride=2, padding=2)
            self.layers = nn.ModuleList(
                nn.Sequential(nn.Conv1d(width, 2 * width, 3, padding=d, dilation=d), nn.GLU(dim=1),
                              nn.GroupNorm(4, width), nn.GELU(), nn.Dropout(0.1)) for d in (1, 2, 4))
            self.head = nn.Conv1d(width, letters, 1)

        def forward(self, sound):
            x = sound - sound.mean(dim=-1, keepdim=True)
            x = x / (x.std(dim=-1, keepdim=True) + 1e-5)
            x = F.relu(self.enter(x))
            for layer in self.layers:
                x = x + layer(x)
            return F.log_softmax(self.head(x), dim=1).permute(2, 0, 1)

    def kind(build, inputs):
        return SimpleNamespace(build=build, inputs=inputs)

    def words(below):
        return lambda: torch.arange(20).reshape(2, 10) * 7 % below

    def waves(*sizes):
        count = math.prod(sizes)
        return lambda: torch.sin(torch.arange(count, dtype=torch.float32) * 0.37).reshape(sizes)

    return {"gpt": kind(Gpt, words(61)), "vit": kind(Vit, waves(2, 3, 16, 16)), "unet": kind(Unet, waves(1, 3, 16, 16)),
            "lstm": kind(LstmModel, words(40)), "scan": kind(SelectiveScan, waves(2, 9, 12)),
            "speech": kind(SpeechCnn, waves(2, 20, 40))}
