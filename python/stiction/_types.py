"""Words and errors that the compiled module hands out."""

from __future__ import annotations

from enum import Enum


class InputError(ValueError):
    """What was given cannot be used; the message is the one of the program.

    ``path`` names the entry, e.g. ``"contacts[2].normal"`` (empty: no single one).
    """

    def __init__(self, message: str, path: str = ""):
        super().__init__(message)
        self.path = path

    def __reduce__(self):
        return type(self), (str(self), self.path)


class _Word(str, Enum):
    """A member is its word: ``Verdict.HOLDS == "holds"``."""

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}>"

    # What `stiction` and numpy print in f-strings is the word.
    __format__ = str.__format__


class Verdict(_Word):
    """Three-valued. Not a truth value: compare with ``"holds"``, or ask ``report.holds``."""

    UNDECIDED = "undecided"
    HOLDS = "holds"
    FAILS = "fails"

    def __bool__(self):
        raise TypeError("a verdict has three values: compare it with 'holds', 'fails' or 'undecided'")


class ContactState(_Word):
    """What a contact does in an answer."""

    STICKING = "sticking"
    RIM = "rim"
    DETACHING = "detaching"
    SLIDING = "sliding"
    UNLOADED = "unloaded"


class Side(_Word):
    """Whether a contact can only push, or push and pull."""

    UNILATERAL = "unilateral"
    BILATERAL = "bilateral"


class MarginState(_Word):
    """What is known about a margin: see ``Margin``."""

    NOT_ASKED = "not_asked"
    KNOWN = "known"
    NONE = "none"
    UNBOUNDED = "unbounded"
    UNDECIDED = "undecided"


class CertificateKind(_Word):
    """What kind of proof a certificate is."""

    NONE = "none"
    FORCES = "forces"
    MOTION = "motion"
    CONTRADICTION = "contradiction"
    UNBALANCED = "unbalanced"


class FailureCause(_Word):
    """What a failing case could have more of, alone, to hold."""

    UNKNOWN = "unknown"
    MOTORS = "motors"
    EFFORT = "effort"
    LIMITS = "limits"
    FRICTION = "friction"
    SEVERAL = "several"
    NOTHING = "nothing"


class SolutionCount(_Word):
    """How many motions a sliding state has."""

    UNDECIDED = "undecided"
    NONE = "none"
    UNIQUE = "unique"
    SEVERAL = "several"
    AT_LEAST_ONE = "at_least_one"


class ImpactState(_Word):
    """What a contact does in an impact."""

    OPENS = "opens"
    UNLOADED = "unloaded"
    STICKS = "sticks"
    SLIPS = "slips"


class RegionKind(_Word):
    """What a support region is like."""

    UNDECIDED = "undecided"
    EMPTY = "empty"
    BOUNDED = "bounded"
    UNBOUNDED = "unbounded"
