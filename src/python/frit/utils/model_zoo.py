"""Downloads, refused."""
from frit.hub import load_state_dict_from_url as load_url
