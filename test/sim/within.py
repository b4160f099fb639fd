"""Whether the limits of a queue were ever exceeded in an episode: from replies and keys alone, without the model."""


class Within:
    """At most max-leased are leased after each take that leased something; at most the N of rate=N/MS began within any MS, by the clock
    that the calls were told. After it was set back, what began later counts as begun then."""

    def __init__(self):
        self.begun, self.rate, self.full = [], None, [0, 0]  # times, us; how often it was as much as is allowed: leased, begun

    def see(self, step, reply, keys):
        """What is wrong, or None. keys: those after the step, by part."""
        conf, now = keys["conf"], step[1] * 1000 if step[0][0] != "!" else None
        if now is not None:
            self.begun = [min(at, now) for at in self.begun]
        rate = conf.get(b"rate")
        if rate != self.rate and None in (rate, self.rate):
            self.begun = []
        self.rate = rate
        if step[0] == "take" and isinstance(reply, list) and len(reply) > 6:
            return self.begin(reply[0], (len(reply) - 6) // 6, conf, len(keys["leased"]))
        return None

    def begin(self, at, count, conf, leased):
        most = int(conf.get(b"max-leased", 0))
        if most and leased > most:
            return "%d are leased, max-leased is %d" % (leased, most)
        self.full[0] += leased == most
        if not self.rate:
            return None
        most, span = map(int, self.rate.split(b"/"))
        self.begun = [t for t in self.begun if t > at - span * 1000] + [at] * count
        self.full[1] += len(self.begun) == most
        return "%d began in %d ms, the rate is %d" % (len(self.begun), span, most) if len(self.begun) > most else None
