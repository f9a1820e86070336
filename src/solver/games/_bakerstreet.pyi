# Rules over plain C data: no Python names. `bakerstreet.pyx` takes them from `_bakerstreet.pxd`.
