"""Settings of PyTorch's libraries: they read back as they were set, and have no effect."""


class _Settings:
    """Attributes that are kept."""

    def __init__(self, available=False, **attributes):
        self._available = available
        self.__dict__.update(attributes)

    def is_available(self):
        return self._available

    def is_built(self):
        return self._available

    def flags(self, *args, **kwargs):
        """A scope without effect."""
        import contextlib
        return contextlib.nullcontext()


cudnn = _Settings(enabled=True, benchmark=False, deterministic=False, allow_tf32=True, version=lambda: None)
cuda = _Settings(matmul=_Settings(allow_tf32=False, allow_fp16_reduced_precision_reduction=True),
                 flash_sdp_enabled=lambda: False, mem_efficient_sdp_enabled=lambda: False,
                 math_sdp_enabled=lambda: True, enable_flash_sdp=lambda enabled: None,
                 enable_mem_efficient_sdp=lambda enabled: None, enable_math_sdp=lambda enabled: None)
mps = _Settings()
mkl = _Settings()
mkldnn = _Settings(available=True, enabled=True)
openmp = _Settings()
opt_einsum = _Settings(enabled=False, strategy=None)
quantized = _Settings(engine="none", supported_engines=["none"])
xnnpack = _Settings(enabled=False)
