"""Cases that a seed alone makes, the same here and in Tests/MetricsTests/CaseStream.swift.

So that the expected values are committed without their inputs.
"""

MASK = (1 << 64) - 1


class CaseStream:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def below(self, count):
        """A whole number in 0..<count."""
        return self.next() % count

    def between(self, low, high):
        """A multiple of 1/64, which float32 holds exactly; low and high are whole numbers."""
        return low + self.below((high - low) * 64) / 64
