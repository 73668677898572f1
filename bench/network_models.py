"""Networks of the kinds that are run most, at the sizes of small ones that are in use, against whatever module is given
as `torch`.

    networks = make(frit)
    call = networks["resnet18"]()     # with seeded weights and inputs of its own
    call()                            # a tuple of tensors
    call.module, call.inputs          # for compilers that want both
"""


NAMES = ("chain_16", "chain_4096", "chain_262144", "gpt_decode", "vit", "resnet18", "lstm")


class Call:
    """A module on its inputs."""

    def __init__(self, module, *inputs, steps=1):
        self.module, self.inputs, self.steps = module.eval(), inputs, steps

    def __call__(self, run=None):
        return self.drive(self.module if run is None else run)

    def drive(self, run):
        return run(*self.inputs)


class Decoding(Call):
    """A language model that writes `steps` words, each the likeliest after those before."""

    def drive(self, run):
        word, *caches = self.inputs
        for _ in range(self.steps):
            logits, *caches = run(word, *caches)
            word = logits.argmax(-1)
        return word


def make(torch):
    nn, F = torch.nn, torch.nn.functional

    class Chain(nn.Module):
        """Ten small ops."""

        def forward(self, x, w, b):
            y = torch.tanh(x * w + b)
            y = torch.sigmoid(y - 0.5) * y
            return torch.relu(y / (y.abs() + 1.0)) + x

    class Attention(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

        def split(self, x):
            n, t, width = x.shape
            return [part.view(n, t, self.heads, width // self.heads).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)]

        def join(self, q, k, v):
            scores = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5)
            y = torch.softmax(scores, -1) @ v
            return self.out(y.transpose(1, 2).reshape(y.shape[0], y.shape[2], -1))

        def forward(self, x):
            return self.join(*self.split(x))

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attention = Attention(width, heads)
            self.enter, self.leave = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def mlp(self, x):
            return x + self.leave(F.gelu(self.enter(self.norm2(x))))

        def forward(self, x):
            return self.mlp(x + self.attention(self.norm1(x)))

        def step(self, x, keys, values):
            q, k, v = self.attention.split(self.norm1(x))
            keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
            return self.mlp(x + self.attention.join(q, keys, values)), keys, values

    class Gpt(nn.Module):
        """One more word, with the keys and values of those before."""

        def __init__(self, words, width, heads, layers, length):
            super().__init__()
            self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

        def forward(self, word, *caches):
            place = torch.arange(caches[0].shape[2], caches[0].shape[2] + 1)
            x, grown = (self.words(word) + self.places(place)).unsqueeze(1), []
            for i, block in enumerate(self.blocks):
                x, keys, values = block.step(x, caches[2 * i], caches[2 * i + 1])
                grown += [keys, values]
            return (self.head(self.norm(x[:, -1])), *grown)

    class Vit(nn.Module):
        def __init__(self, patch, width, heads, layers):
            super().__init__()
            self.patches = nn.Conv2d(3, width, patch, stride=patch)
            self.mark = nn.Parameter(torch.zeros(1, 1, width))
            self.places = nn.Parameter(torch.randn(1, (224 // patch) ** 2 + 1, width) * 0.02)
            self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
            self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 1000))

        def forward(self, image):
            x = self.patches(image).flatten(2).transpose(1, 2)
            x = torch.cat([self.mark.expand(x.shape[0], -1, -1), x], 1) + self.places
            return self.head(self.blocks(x)[:, 0])

    class Residual(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
            self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
            self.short = nn.Sequential()
            if stride != 1 or inputs != outputs:
                self.short = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

        def forward(self, x):
            y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
            return F.relu(y + self.short(x))

    def resnet18():
        widths = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2),
                  (512, 512, 1)]
        return nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
                             nn.MaxPool2d(3, 2, 1), *[Residual(*width) for width in widths], nn.AdaptiveAvgPool2d(1),
                             nn.Flatten(), nn.Linear(512, 1000))

    class Lstm(nn.Module):
        def __init__(self, words, width):
            super().__init__()
            self.words, self.lstm = nn.Embedding(words, width), nn.LSTM(width, width, 2, batch_first=True)
            self.head = nn.Linear(width, words)

        def forward(self, words):
            return F.log_softmax(self.head(self.lstm(self.words(words))[0]), -1)

    def chain(n):
        return lambda: Call(Chain(), torch.randn(n), torch.randn(n), torch.randn(n))

    def gpt():
        caches = [torch.randn(1, 6, 16, 64) for _ in range(12)]
        return Decoding(Gpt(4096, 384, 6, 6, 256), torch.tensor([7]), *caches, steps=32)

    def image():
        return torch.randn(1, 3, 224, 224)

    builders = {
        "chain_16": chain(16), "chain_4096": chain(4096), "chain_262144": chain(1 << 18), "gpt_decode": gpt,
        "vit": lambda: Call(Vit(16, 192, 3, 12), image()), "resnet18": lambda: Call(resnet18(), image()),
        "lstm": lambda: Call(Lstm(2000, 256), torch.randint(0, 2000, (1, 32))),
    }

    def seeded(build):
        def call():
            torch.manual_seed(5)
            return build()
        return call
    return {name: seeded(builders[name]) for name in NAMES}
