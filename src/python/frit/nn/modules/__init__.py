"""The layers, by PyTorch's file names."""
from frit.nn.modules.module import Module
from frit.nn.modules.linear import Bilinear, Identity, Linear
from frit.nn.modules.container import (Container, ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential)
from frit.nn.modules.conv import (Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
from frit.nn.modules.activation import (CELU, ELU, GELU, GLU, Hardshrink, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU,
                                        LogSigmoid, LogSoftmax, Mish, MultiheadAttention, PReLU, ReLU, ReLU6, RReLU,
                                        SELU, Sigmoid, SiLU, Softmax, Softmax2d, Softmin, Softplus, Softshrink,
                                        Softsign, Tanh, Tanhshrink, Threshold)
from frit.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss
from frit.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm
from frit.nn.modules.channelshuffle import ChannelShuffle
from frit.nn.modules.distance import CosineSimilarity, PairwiseDistance
from frit.nn.modules.dropout import (AlphaDropout, Dropout, Dropout1d, Dropout2d, Dropout3d, FeatureAlphaDropout)
from frit.nn.modules.flatten import Flatten, Unflatten
from frit.nn.modules.fold import Fold, Unfold
from frit.nn.modules.instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from frit.nn.modules.lazy import *  # noqa: F403
from frit.nn.modules.loss import (BCELoss, BCEWithLogitsLoss, CosineEmbeddingLoss, CrossEntropyLoss, CTCLoss,
                                  GaussianNLLLoss, HingeEmbeddingLoss, HuberLoss, KLDivLoss, L1Loss, MarginRankingLoss,
                                  MSELoss, MultiLabelMarginLoss, MultiLabelSoftMarginLoss, MultiMarginLoss, NLLLoss,
                                  NLLLoss2d, PoissonNLLLoss, SmoothL1Loss, SoftMarginLoss, TripletMarginLoss,
                                  TripletMarginWithDistanceLoss)
from frit.nn.modules.normalization import CrossMapLRN2d, GroupNorm, LayerNorm, LocalResponseNorm, RMSNorm
from frit.nn.modules.padding import (CircularPad1d, CircularPad2d, CircularPad3d, ConstantPad1d, ConstantPad2d,
                                     ConstantPad3d, ReflectionPad1d, ReflectionPad2d, ReflectionPad3d,
                                     ReplicationPad1d, ReplicationPad2d, ReplicationPad3d, ZeroPad1d, ZeroPad2d,
                                     ZeroPad3d)
from frit.nn.modules.pixelshuffle import PixelShuffle, PixelUnshuffle
from frit.nn.modules.pooling import (AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool1d,
                                     AdaptiveMaxPool2d, AdaptiveMaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d,
                                     FractionalMaxPool2d, FractionalMaxPool3d, LPPool1d, LPPool2d, LPPool3d, MaxPool1d,
                                     MaxPool2d, MaxPool3d, MaxUnpool1d, MaxUnpool2d, MaxUnpool3d)
from frit.nn.modules.rnn import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNBase, RNNCell, RNNCellBase
from frit.nn.modules.sparse import Embedding, EmbeddingBag
from frit.nn.modules.transformer import (Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder,
                                         TransformerEncoderLayer)
from frit.nn.modules.upsampling import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d

__all__ = [_name for _name, _value in list(globals().items()) if isinstance(_value, type)]
