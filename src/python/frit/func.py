"""Functions of functions: what needs gradients or batches of functions refuses."""
from frit._refuse import refusing
from frit.nn.utils.stateless import functional_call

grad = refusing("func.grad")
grad_and_value = refusing("func.grad_and_value")
vjp = refusing("func.vjp")
jvp = refusing("func.jvp")
jacrev = refusing("func.jacrev")
jacfwd = refusing("func.jacfwd")
hessian = refusing("func.hessian")
vmap = refusing("func.vmap", "not supported: write the batch's dimension")
