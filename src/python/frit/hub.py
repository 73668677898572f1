"""Downloads of models: refused, since Frit opens no connections."""
import os

from frit._refuse import refusing

_WHY = "Frit downloads nothing: get the file and read it with frit.load()"
load = refusing("hub.load", _WHY)
load_state_dict_from_url = refusing("hub.load_state_dict_from_url", _WHY)
download_url_to_file = refusing("hub.download_url_to_file", _WHY)
list = refusing("hub.list", _WHY)
help = refusing("hub.help", _WHY)

_directory = None


def _get_torch_home():
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir():
    """Where downloads would lie."""
    return _directory or os.path.join(_get_torch_home(), "hub")


def set_dir(d):
    """Keeps where downloads would lie."""
    global _directory
    _directory = os.path.expanduser(d)
