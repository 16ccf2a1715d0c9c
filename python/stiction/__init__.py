"""Will it hold? Decides whether a grasp or a legged robot holds, with a proof.

    >>> import stiction
    >>> report = stiction.check("scenarios/box_on_slope.yaml")
    >>> report.verdict
    <Verdict.HOLDS>

Units are SI, angles are radians, frames are right-handed. What cannot be used raises ``stiction.InputError``.
"""

from ._types import (
    CertificateKind as CertificateKind,
    ContactState as ContactState,
    FailureCause as FailureCause,
    ImpactState as ImpactState,
    InputError as InputError,
    MarginState as MarginState,
    RegionKind as RegionKind,
    Side as Side,
    SolutionCount as SolutionCount,
    Verdict as Verdict,
)
from ._stiction import (
    Actuator as Actuator,
    Certificate as Certificate,
    ClosureChecker as ClosureChecker,
    ClosureResult as ClosureResult,
    Contact as Contact,
    ContactProblem as ContactProblem,
    CouplingChecker as CouplingChecker,
    Couplings as Couplings,
    EquilibriumChecker as EquilibriumChecker,
    EquilibriumMonitor as EquilibriumMonitor,
    EquilibriumResult as EquilibriumResult,
    Grasp as Grasp,
    ImpactChecker as ImpactChecker,
    ImpactLaw as ImpactLaw,
    ImpactResult as ImpactResult,
    LoopConstraint as LoopConstraint,
    Margin as Margin,
    RegionChecker as RegionChecker,
    RegionInput as RegionInput,
    RegionResult as RegionResult,
    Report as Report,
    ReportedContact as ReportedContact,
    ReportedMargin as ReportedMargin,
    ResistResult as ResistResult,
    SlidingChecker as SlidingChecker,
    SlidingResult as SlidingResult,
    StickingChecker as StickingChecker,
    StickingResult as StickingResult,
    Verification as Verification,
    __version__ as __version__,
)
from ._batch import CAUSE_CODES as CAUSE_CODES, VERDICT_CODES as VERDICT_CODES, batch as batch, check_batch as check_batch
from ._checker import BatchChecker as BatchChecker
from ._mujoco import from_mujoco as from_mujoco
from ._scenario import Scenario as Scenario, check as check, verify as verify
from ._scene import Scene as Scene, State as State
from ._tables import read_table as read_table, write_table as write_table
from ._track import Track as Track, track as track
