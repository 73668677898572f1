"""Several processes: not available."""
from frit._refuse import refusing

_WHY = "not available: there is one process"


def is_available():
    """False: there is one process."""
    return False


def is_initialized():
    """False: there is one process."""
    return False


for _name in ("init_process_group", "destroy_process_group", "get_rank", "get_world_size", "barrier", "all_reduce",
              "all_gather", "broadcast", "reduce"):
    globals()[_name] = refusing("distributed." + _name, _WHY)
