"""Will it hold? Decides whether a grasp or a legged robot holds, with a proof.

    >>> import stiction
    >>> report = stiction.check("scenarios/box_on_slope.yaml")
    >>> report.verdict
    <Verdict.HOLDS>

Units are SI, angles are radians, frames are right-handed. What cannot be used raises ``stiction.InputError``.
"""

from ._types import (
    CertificateKind,
    ContactState,
    FailureCause,
    ImpactState,
    InputError,
    MarginState,
    RegionKind,
    Side,
    SolutionCount,
    Verdict,
)
from ._stiction import (
    Actuator,
    Contact,
    ContactProblem,
    Grasp,
    LoopConstraint,
    Report,
    ReportedContact,
    ReportedMargin,
    Verification,
    __version__,
)
from ._scenario import Scenario, check, verify
