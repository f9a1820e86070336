# Play over plain C data: no Python names. `scout.pyx` takes them from `_scout_learnt.pxd`.
