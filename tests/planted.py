"""A leak planted on purpose, for the tests that must find one."""


class Seen:
    """A state that is drawn as it is: whoever searches it sees what is hidden."""

    def __init__(self, state):
        self.state = state

    def __getattr__(self, name):
        return getattr(self.state, name)

    def clone(self):
        return Seen(self.state.clone())

    def resample_from_infostate(self, player, uniform_01):
        return self.clone()
