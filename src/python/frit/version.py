"""Which PyTorch the names and meanings are those of."""
__version__ = "2.6.0+frit"
cuda = None
hip = None
debug = False
git_version = "frit"
