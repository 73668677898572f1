"""DLPack."""
from frit._exchange import from_dlpack, to_dlpack
