"""Contact problems from the state of a MuJoCo simulation."""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ._stiction import Actuator, Contact, ContactProblem, LoopConstraint
from ._types import InputError

if TYPE_CHECKING:
    import mujoco


def _name(mujoco, model, kind, index: int) -> str:
    return mujoco.mj_id2name(model, kind, index) or f"{kind.name.removeprefix('mjOBJ_').lower()}{index}"


def _unique(names: Counter, name: str) -> str:
    names[name] += 1
    return name if names[name] == 1 else f"{name}#{names[name]}"


def _is(value, *kinds) -> bool:
    """Whether a number of the model is one of these members of an enumeration."""
    return int(value) in map(int, kinds)


def _single(mujoco, model, joint: int) -> bool:
    """Whether a joint has one degree of freedom."""
    return _is(model.jnt_type[joint], mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


def _at_rest(mujoco, model, data):
    """A copy of the state without velocities, with everything computed anew from positions and controls."""
    data = copy.copy(data)
    data.qvel[:] = 0.0
    mujoco.mj_forward(model, data)
    return data


def _mass_matrix(mujoco, model, data) -> np.ndarray:
    M = np.zeros((model.nv, model.nv))
    if hasattr(data, "qM"):  # before MuJoCo 4
        mujoco.mj_fullM(model, M, data.qM)
    else:
        mujoco.mj_fullM(model, data, M)
    return M


def _constraint_rows(mujoco, model, data) -> np.ndarray:
    """(nefc, nv): the Jacobian of MuJoCo's own constraint rows."""
    if not mujoco.mj_isSparse(model):
        return np.asarray(data.efc_J).reshape(data.nefc, model.nv)
    J = np.zeros((data.nefc, model.nv))
    flat, columns = np.ravel(data.efc_J), np.ravel(data.efc_J_colind)
    for row in range(data.nefc):
        span = slice(data.efc_J_rowadr[row], data.efc_J_rowadr[row] + data.efc_J_rownnz[row])
        J[row, columns[span]] = flat[span]
    return J


def _load(mujoco, model, data, given: bool) -> np.ndarray:
    """F: gravity terms minus springs, applied forces and, when given, the efforts of actuators."""
    applied = np.zeros(model.nv)
    for body in np.flatnonzero(np.any(data.xfrc_applied != 0.0, axis=1)):
        force, torque = data.xfrc_applied[body, :3].copy(), data.xfrc_applied[body, 3:].copy()
        mujoco.mj_applyFT(model, data, force, torque, data.xipos[body].copy(), body, applied)
    F = data.qfrc_bias - data.qfrc_passive - data.qfrc_applied - applied
    return F - data.qfrc_actuator if given else F


def _contact_jacobian(mujoco, model, data, contact) -> np.ndarray:
    """(6, nv): velocity and angular velocity of the body that the normal points into, minus those of the other, along the
    contact's axes."""
    axes = np.reshape(contact.frame, (3, 3))
    relative = np.zeros((6, model.nv))
    for geom, sign in ((contact.geom[1], 1.0), (contact.geom[0], -1.0)):  # the normal points from the first to the second
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, linear, angular, contact.pos, model.geom_bodyid[geom])
        relative[:3] += sign * (axes @ linear)
        relative[3:] += sign * (axes @ angular)
    return relative


def _contacts(mujoco, model, data, within: float):
    rows, contacts, names, row = [], [], Counter(), 0
    for contact in data.contact:
        touches = contact.exclude == 0 or (contact.exclude == 1 and contact.dist <= within)
        if not touches:
            continue
        if min(contact.geom) < 0:
            raise InputError("contacts: want contacts of geoms, got one of a flex", "contacts")
        first, second = (_name(mujoco, model, mujoco.mjtObj.mjOBJ_GEOM, geom) for geom in contact.geom)
        name = _unique(names, f"{second} on {first}")
        path = f"contacts.{name}"
        mu, other, torsion = contact.friction[:3]
        if contact.dim >= 3 and mu != other:
            raise InputError(f"{path}.friction: want the same coefficient along both tangents, got {mu} and {other}", path)
        if np.any(getattr(contact, "surfacevel", 0.0)) or getattr(contact, "adhesion", 0.0):
            raise InputError(f"{path}: want no moving surface and no adhesion", path)
        if contact.dim == 6:
            warnings.warn(f"{path}: rolling friction is left out", stacklevel=3)
        J = _contact_jacobian(mujoco, model, data, contact)
        tangents, torsional = (0, False) if contact.dim == 1 else (2, contact.dim >= 4)
        rows.append(J[[0, 1, 2, 3] if torsional else [0, 1, 2] if tangents else [0]])
        contacts.append(Contact(
            name, mu=mu if tangents else 0.0, row=row, tangents=tangents, torsion=torsion if torsional else None,
            point=contact.pos, axes=np.reshape(contact.frame, (3, 3)).T))
        row += len(rows[-1])
    return rows, contacts, row


def _limits_and_loops(mujoco, model, data, first_row: int):
    """Joints and tendons at their limits are frictionless contacts, equality constraints are loops: MuJoCo's own rows."""
    kinds = mujoco.mjtConstraint
    J, types, ids = _constraint_rows(mujoco, model, data), np.ravel(data.efc_type), np.ravel(data.efc_id)
    rows, contacts, loops, names = [], [], [], Counter()
    for kind, object_kind in ((kinds.mjCNSTR_LIMIT_JOINT, mujoco.mjtObj.mjOBJ_JOINT),
                              (kinds.mjCNSTR_LIMIT_TENDON, mujoco.mjtObj.mjOBJ_TENDON)):
        for index in np.flatnonzero(types == int(kind)):
            name = _unique(names, f"limit of {_name(mujoco, model, object_kind, ids[index])}")
            contacts.append(Contact(name, mu=0.0, row=first_row + len(rows), tangents=0))
            rows.append(J[index])
    equalities = np.flatnonzero(types == int(kinds.mjCNSTR_EQUALITY))
    for equality in dict.fromkeys(ids[equalities]):
        owned = equalities[ids[equalities] == equality]
        name = _unique(names, _name(mujoco, model, mujoco.mjtObj.mjOBJ_EQUALITY, equality))
        loops.append(LoopConstraint(name, row=first_row + len(rows), rows=len(owned)))
        rows.extend(J[owned])
    return rows, contacts, loops


def _force_range(mujoco, model, data, actuator: int) -> tuple[float, float] | None:
    """What an actuator can exert in this state; None: it is of a kind that is not known here."""
    dynamics, gains, biases = mujoco.mjtDyn, mujoco.mjtGain, mujoco.mjtBias
    gain_kind, bias_kind = model.actuator_gaintype[actuator], model.actuator_biastype[actuator]
    if not _is(model.actuator_dyntype[actuator], dynamics.mjDYN_NONE, dynamics.mjDYN_FILTER, dynamics.mjDYN_FILTEREXACT):
        return None
    if not (_is(gain_kind, gains.mjGAIN_FIXED, gains.mjGAIN_AFFINE) and _is(bias_kind, biases.mjBIAS_NONE, biases.mjBIAS_AFFINE)):
        return None
    length = data.actuator_length[actuator]
    gain, bias = model.actuator_gainprm[actuator], model.actuator_biasprm[actuator]
    slope = gain[0] + (gain[1] * length if _is(gain_kind, gains.mjGAIN_AFFINE) else 0.0)
    offset = bias[0] + bias[1] * length if _is(bias_kind, biases.mjBIAS_AFFINE) else 0.0
    lower, upper = -np.inf, np.inf
    if model.actuator_ctrllimited[actuator]:
        lower, upper = sorted(slope * model.actuator_ctrlrange[actuator] + offset)
    if model.actuator_forcelimited[actuator]:
        lower, upper = np.clip((lower, upper), *model.actuator_forcerange[actuator])
    return lower, upper


def _moment(mujoco, model, data, actuator: int) -> np.ndarray:
    """(nv,): generalised force of a unit force of an actuator."""
    if not hasattr(data, "moment_rownnz"):  # dense before MuJoCo 3.2
        return np.reshape(data.actuator_moment, (model.nu, model.nv))[actuator]
    moments = np.zeros((model.nu, model.nv))
    mujoco.mju_sparse2dense(moments, np.ravel(data.actuator_moment), np.ravel(data.moment_rownnz),
                            np.ravel(data.moment_rowadr), np.ravel(data.moment_colind))
    return moments[actuator]


def _actuators(mujoco, model, data) -> tuple[list[Actuator], np.ndarray]:
    """Motors of single joints with what they can exert, and the present efforts (nv) of all others."""
    motors: dict[int, list[tuple[str, float, float]]] = {}  # by joint
    given, names = np.zeros(model.nv), Counter()
    for index in range(model.nu):
        group = model.actuator_group[index]
        if 0 <= group <= 30 and model.opt.disableactuator >> group & 1:
            continue
        name = _name(mujoco, model, mujoco.mjtObj.mjOBJ_ACTUATOR, index)
        joint = model.actuator_trnid[index, 0]
        of_joint = _is(model.actuator_trntype[index], mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
        forces = _force_range(mujoco, model, data, index) if of_joint and _single(mujoco, model, joint) else None
        if forces is None:
            warnings.warn(f"actuator {name}: not a motor of one joint, its present force counts as given", stacklevel=3)
            given += _moment(mujoco, model, data, index) * data.actuator_force[index]
            continue
        gear = model.actuator_gear[index, 0]
        motors.setdefault(joint, []).append((name, *sorted(gear * force if gear else 0.0 for force in forces)))
    actuators = []
    for joint, of_joint in motors.items():  # several on one joint add up, and its own limit is that of their sum
        lower, upper = (sum(motor[end] for motor in of_joint) for end in (1, 2))
        if model.jnt_actfrclimited[joint]:
            lower, upper = np.clip((lower, upper), *model.jnt_actfrcrange[joint])
        name = _unique(names, " + ".join(motor[0] for motor in of_joint))
        actuators.append(Actuator(name, dof=model.jnt_dofadr[joint], lower=lower, upper=upper))
    for dof in np.flatnonzero(model.dof_frictionloss):
        loss = model.dof_frictionloss[dof]
        joint = _name(mujoco, model, mujoco.mjtObj.mjOBJ_JOINT, model.dof_jntid[dof])
        actuators.append(Actuator(_unique(names, f"dry friction of {joint}"), dof=dof, lower=-loss, upper=loss))
    return actuators, given


def _dof_names(mujoco, model) -> list[str]:
    names = []
    for dof in range(model.nv):
        joint = model.dof_jntid[dof]
        name, first = _name(mujoco, model, mujoco.mjtObj.mjOBJ_JOINT, joint), model.jnt_dofadr[joint]
        names.append(name if _single(mujoco, model, joint) else f"{name}[{dof - first}]")
    return names


def from_mujoco(
    model: mujoco.MjModel, data: mujoco.MjData, *, efforts: str = "limits", within: float = 0.0
) -> ContactProblem:
    """The contact problem of a simulation at rest in its present positions: does it really hold?

    efforts: "limits": motors are free within their limits, and dry friction of joints within its own, for "equilibrium";
    "given": what data.ctrl makes them do now, for "all_sticking" and "equilibrium" (dry friction of joints is left out);
    "none": they do nothing.
    within: m; contacts that MuJoCo sees but does not count yet (dist beyond the margin) are there up to this distance.

    Velocities are taken as zero (what is asked is whether it stays), `data` itself is not changed. docs/python.md says what
    becomes of each kind of constraint and actuator.
    """
    import mujoco

    if efforts not in ("limits", "given", "none"):
        raise InputError(f"efforts: want limits, given or none, got '{efforts}'", "efforts")
    data = _at_rest(mujoco, model, data)
    F = _load(mujoco, model, data, efforts == "given")
    actuators: list[Actuator] = []
    if efforts == "limits":
        actuators, given = _actuators(mujoco, model, data)
        F = F - given
    rows, contacts, count = _contacts(mujoco, model, data, within)
    more, limits, loops = _limits_and_loops(mujoco, model, data, count)
    J = np.vstack([*rows, *more]) if rows or more else np.zeros((0, model.nv))
    return ContactProblem(
        _mass_matrix(mujoco, model, data), F, J, contacts + limits, loops=loops, actuators=actuators,
        dof_names=_dof_names(mujoco, model))
