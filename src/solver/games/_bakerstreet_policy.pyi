# Fixed play over plain C data: no Python names. `bakerstreet.pyx` takes them from `_bakerstreet_policy.pxd`.
