#!/usr/bin/env python3
"""Every number around the verdict, judged without the product's code: margins, intervals, forces and repairs of random
scenes of real robots, and the quality of random grasps, by the conic solver Clarabel.

    margins_judge.py STICTION SOURCE_DIR ROBOTS      (ROBOTS: share/ of the example-robot-data wheel)

STICTION_MARGIN_SCENES, STICTION_MARGIN_GRASPS: how many (default: a small everyday run), STICTION_MARGIN_SEED the seed.
What is asked of the product is its command line; what it says is compared with optima of programs that are built here
from the matrices M, F, J, gamma of its report. Exit code 1: a number is wrong, or too many are not known; 77: something
that is needed is not installed.
"""
import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile

try:
    import clarabel
    import numpy as np
    from scipy import optimize, sparse
except ImportError as missing:
    print("skipped:", missing, file=sys.stderr)
    sys.exit(77)

INFINITY = math.inf
FAR = 1e3  # friction beyond which nobody has any
QUADRUPEDS = {
    "a1_description/urdf/a1.urdf": ["FL_foot", "FR_foot", "RL_foot", "RR_foot"],
    "anymal_b_simple_description/robots/anymal.urdf": ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"],
    "b1_description/urdf/b1.urdf": ["FL_foot", "FR_foot", "RL_foot", "RR_foot"],
    "go2_description/urdf/go2.urdf": ["FL_foot", "FR_foot", "RL_foot", "RR_foot"],
    "hyq_description/robots/hyq_no_sensors.urdf": ["lf_foot", "rf_foot", "lh_foot", "rh_foot"],
    "laikago_description/urdf/laikago.urdf": ["FL_foot", "FR_foot", "RL_foot", "RR_foot"],
    "solo_description/robots/solo12.urdf": ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"],
}
BIPEDS = {
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": ["left_ankle_roll_link", "right_ankle_roll_link"],
    "icub_description/robots/icub_reduced.urdf": ["l_sole", "r_sole"],
    "romeo_description/urdf/romeo_small.urdf": ["l_sole", "r_sole"],
    "talos_data/robots/talos_reduced.urdf": ["left_sole_link", "right_sole_link"],
}


def number(value):
    return float(value) if value is not None else None


# ---------------------------------------------------------------------------------------------------------- programs

Answer = collections.namedtuple("Answer", "status value x")  # status: optimal, infeasible, unbounded, unknown


class Program:
    """min cost'x + weight |x|²/2 over linear equalities, inequalities and cones |B x| <= c'x, for Clarabel."""

    def __init__(self, columns):
        self.columns, self.blocks, self.right, self.cones = columns, [], [], []

    def add(self, matrix, right, cone):
        matrix = np.atleast_2d(matrix)
        if matrix.shape[0]:
            self.blocks.append(matrix)
            self.right.append(np.atleast_1d(right))
            self.cones.append(cone(matrix.shape[0]))

    def equal(self, A, b):
        """A x = b in rows of unit length that do not depend on each other; False: they contradict each other."""
        A, b = np.atleast_2d(A), np.atleast_1d(b)
        if A.shape[0] == 0:
            return True
        U, sizes, V = np.linalg.svd(A, full_matrices=False)
        rank = int(np.sum(sizes > 1e-10 * max(sizes[0], 1e-300))) if sizes.size else 0
        left = b - U[:, :rank] @ (U[:, :rank].T @ b)
        self.add(V[:rank], (U[:, :rank].T @ b) / sizes[:rank], clarabel.ZeroConeT)
        return np.linalg.norm(left) <= 1e-8 * max(np.linalg.norm(b), 1e-12)

    def at_most(self, A, b):
        self.add(A, b, clarabel.NonnegativeConeT)

    def cone(self, rows):
        """rows @ x in the second-order cone, the first of them being the bound."""
        self.add(-np.asarray(rows), np.zeros(len(rows)), clarabel.SecondOrderConeT)

    def solve(self, cost=None, weight=None):
        P = sparse.csc_matrix((self.columns, self.columns)) if weight is None else sparse.diags(weight, format="csc")
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
        settings.tol_infeas_abs = settings.tol_infeas_rel = 1e-10
        cost = np.zeros(self.columns) if cost is None else cost
        A = sparse.csc_matrix(np.vstack(self.blocks)) if self.blocks else sparse.csc_matrix((0, self.columns))
        right = np.concatenate(self.right) if self.right else np.zeros(0)
        solution = clarabel.DefaultSolver(P, cost, A, right, self.cones, settings).solve()
        status = str(solution.status)
        names = {"Solved": "optimal", "AlmostSolved": "optimal", "PrimalInfeasible": "infeasible",
                 "AlmostPrimalInfeasible": "infeasible", "DualInfeasible": "unbounded",
                 "AlmostDualInfeasible": "unbounded"}
        return Answer(names.get(status, "unknown"), float(np.dot(cost, solution.x)), np.array(solution.x))


    def feasible(self):
        """True, False, or None where the solver cannot tell: how much all bounds have to give way is told then."""
        status = self.solve().status
        if status in ("optimal", "infeasible"):
            return status == "optimal"
        eased = Program(self.columns + 1)
        for block, right, cone in zip(self.blocks, self.right, self.cones):
            column = np.zeros((len(block), 1))
            if "NonnegativeCone" in str(cone):
                column[:] = -1.0
            elif "SecondOrderCone" in str(cone):
                column[0] = -1.0
            eased.blocks.append(np.hstack([block, column]))
            eased.right.append(right)
            eased.cones.append(cone)
        eased.at_most(-np.eye(self.columns + 1)[-1], 1.0)
        answer = eased.solve(np.eye(self.columns + 1)[-1])
        if answer.status != "optimal" or abs(answer.value) < 1e-9:
            return None
        return answer.value < 0.0


class Contacts:
    """The contacts of a report's problem, as admissible sets of forces."""

    def __init__(self, problem):
        self.M = np.array(problem["M"], dtype=float)
        self.F = np.array(problem["F"], dtype=float)
        self.J = np.array(problem["J"], dtype=float).reshape(-1, len(self.F))
        self.gamma = np.array(problem["gamma"], dtype=float)
        self.contacts = problem["contacts"]
        self.lower, self.upper = np.zeros(len(self.F)), np.zeros(len(self.F))
        for motor in problem.get("actuators", []):
            self.lower[motor["dof"]] += number(motor["lower"])
            self.upper[motor["dof"]] += number(motor["upper"])
        self.size = max(np.abs(self.F).max(), 1e-9)  # forces are measured by it

    def motion(self, F):
        """Gauss: min ½a'Ma + F'a with the rows held, unilateral normals free to open; a, and who opens."""
        normals = [c["row"] for c in self.contacts if c["side"] == "unilateral"]
        held = [r for r in range(len(self.gamma)) if r not in normals]
        root = np.linalg.cholesky(self.M)  # floating robots: definite
        inverse = np.linalg.inv(root)
        A = self.J @ inverse.T  # in coordinates u = root' a, where a'Ma = u'u
        f = inverse @ F
        program = Program(len(f))
        program.equal(A[held], -self.gamma[held])
        program.at_most(-A[normals], self.gamma[normals])
        u = program.solve(f, np.ones(len(f))).x
        scale = np.linalg.norm(A, axis=1) * (np.linalg.norm(f) + np.linalg.norm(u)) + np.abs(self.gamma)
        opening = A @ u + self.gamma
        opens = {r for r in normals if opening[r] > 1e-6 * max(scale[r], 1e-12)}
        rows = [r for r in range(len(self.gamma)) if r not in opens]  # now that it is known who opens: to rounding
        lam = np.linalg.lstsq(A[rows] @ A[rows].T, A[rows] @ f - self.gamma[rows], rcond=1e-12)[0]
        return inverse.T @ (A[rows].T @ lam - f), opens

    def program(self, load, opens, friction=1.0, mu=None, signs=None, extra=0, moving=None):
        """Forces (divided by self.size) in their cones that carry `load` beside the motors, and `extra` variables more;
        moving: a matrix, moving @ extra is added to the carried rows. None: the rows contradict each other."""
        n = len(self.gamma)
        program = Program(n + extra)
        carry = np.hstack([self.J.T, moving if moving is not None else np.zeros((len(load), extra))])
        given = self.lower == self.upper
        if not program.equal(carry[given], (load - self.lower)[given] / self.size):
            return None
        for d in np.flatnonzero(~given):  # lower <= load - carried <= upper
            if math.isfinite(self.upper[d]):
                program.at_most(-carry[d], (self.upper[d] - load[d]) / self.size)
            if math.isfinite(self.lower[d]):
                program.at_most(carry[d], (load[d] - self.lower[d]) / self.size)
        for i, contact in enumerate(self.contacts):
            self._add_cone(program, i, contact, opens, friction, mu or {}, signs or {})
        return program

    def _add_cone(self, program, i, contact, opens, friction, mu, signs):
        row, tangents = contact["row"], contact["tangents"]
        unit = np.eye(program.columns)
        if row in opens:
            program.equal(unit[row:row + 1 + tangents], np.zeros(1 + tangents))
            return
        normal = signs.get(i, 1.0) * unit[row]
        program.at_most(-normal, 0.0)
        coefficient = mu.get(i, friction * contact["mu"])
        if tangents and coefficient > 0.0:
            program.cone([coefficient * normal] + [unit[row + 1 + t] for t in range(tangents)])
        elif tangents:
            program.equal(unit[row + 1:row + 1 + tangents], np.zeros(tangents))
        limit = number(contact["max_normal"])
        if math.isfinite(limit):
            program.at_most(normal, limit / self.size)

    def patterns(self):
        """All signs of bilateral contacts."""
        free = [i for i, c in enumerate(self.contacts) if c["side"] == "bilateral"]
        for bits in range(2 ** len(free)):
            yield {i: 1.0 if bits >> k & 1 else -1.0 for k, i in enumerate(free)}

    def holds(self, load, opens, **changes):
        """True, False or None."""
        answers = []
        for signs in self.patterns():
            program = self.program(load, opens, signs=signs, **changes)
            answers.append(False if program is None else program.feasible())
        return True if True in answers else (None if None in answers else False)

    def best(self, cost, load, opens, extra=0, moving=None, weight=None, **changes):
        """The least of cost'x over all signs: (value, x); value INFINITY: infeasible, -INFINITY: unbounded."""
        found = (INFINITY, None)
        for signs in self.patterns():
            program = self.program(load, opens, signs=signs, extra=extra, moving=moving, **changes)
            if program is None:
                continue
            answer = program.solve(cost, weight)
            if answer.status == "unbounded":
                return (-INFINITY, None)
            if answer.status == "unknown":
                return (None, None)
            if answer.status == "optimal" and answer.value < found[0]:
                found = (answer.value, answer.x)
        return found


# ------------------------------------------------------------------------------------------------------------ verdicts

class Tally:
    def __init__(self):
        self.right, self.wrong, self.unknown = (collections.Counter() for _ in range(3))

    def judge(self, what, verdict, where, message):
        """verdict True: right, False: wrong, None: the product, or the judge, does not know."""
        verdict = None if verdict is None else bool(verdict)
        {True: self.right, False: self.wrong, None: self.unknown}[verdict][what] += 1
        if verdict is not True:
            print(f"{'WRONG' if verdict is False else 'not known'}: {what} of {where}: {message}", flush=True)

    def counts(self):
        right, wrong, unknown = (sum(kind.values()) for kind in (self.right, self.wrong, self.unknown))
        return f"{right} right, {wrong} wrong, {unknown} not known"

    def finish(self):
        print(f"{'number':28}{'right':>8}{'wrong':>8}{'not known':>11}")
        for what in sorted(self.right + self.wrong + self.unknown):
            print(f"{what:28}{self.right[what]:8}{self.wrong[what]:8}{self.unknown[what]:11}")
        total = sum((self.right + self.wrong + self.unknown).values())
        unknown = sum(self.unknown.values())
        print(f"{'all':28}{sum(self.right.values()):8}{sum(self.wrong.values()):8}{unknown:11}")
        return sum(self.wrong.values()) == 0 and unknown <= max(0.01 * total, 1) and total > 0


def near(a, b, relative=1e-4, absolute=1e-6):
    if a is None or b is None:
        return None
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= relative * max(abs(a), abs(b)) + absolute


def judge_least(holds, value, least=2e-5, most=FAR):
    """Is `value` the least friction (None: none helps) for which holds(...)?"""
    if value is None:
        answer = holds(most)
        return None if answer is None else not answer
    enough = holds(value * (1 + 1e-5) + 1e-6)
    less = False if value <= least else holds(value * (1 - 1e-3))
    if enough is False or less is True:
        return False
    return True if enough and less is False else None


class SceneJudge:
    """One report of all_sticking or equilibrium."""

    def __init__(self, stiction, path, report, tally, pushed=None):
        self.stiction, self.path, self.report, self.tally, self.pushed = stiction, path, report, tally, pushed
        self.where = os.path.basename(path)
        self.contacts = Contacts(report["certificate"]["problem"])
        if report["question"] == "all_sticking":
            a, self.opens = self.contacts.motion(self.contacts.F)
        else:
            a, self.opens = np.array(report["certificate"]["a"], dtype=float), set()
        self.load = self.contacts.M @ a + self.contacts.F

    def say(self, what, verdict, message=""):
        self.tally.judge(f"{self.report['question']} {what}", verdict, self.where, message)

    def holds(self, **changes):
        return self.contacts.holds(self.load, self.opens, **changes)

    def all(self):
        verdict = self.report["verdict"]
        held = self.holds()
        self.say("verdict", None if held is None or verdict == "undecided" else held == (verdict == "holds"),
                 f"{verdict}, judge {held}")
        self.friction_scale()
        if self.report["contacts"]:
            self.forces()
        if verdict == "holds" and self.report["question"] == "all_sticking":
            self.intervals()
        if self.report["question"] == "equilibrium":
            self.effort()
            self.push()
        if verdict == "fails":
            self.repairs()

    def friction_scale(self):
        margins = self.report["margins"]
        if "friction_scale" not in margins:
            self.say("friction_scale", None, "absent")
            return
        value = number(margins["friction_scale"])
        self.say("friction_scale", judge_least(lambda s: self.holds(friction=s), value), str(value))

    def forces(self):
        """What is shown needs no more friction than has to be, and of all such forces they have the least norm."""
        scale = number(self.report["margins"].get("friction_scale"))
        if scale is None:
            return
        lam = np.array(self.report["certificate"]["lambda"], dtype=float) / self.contacts.size
        used = max((number(c["utilisation"]) for c in self.report["contacts"]), default=0.0)
        n = len(lam)
        s = scale * (1 + 1e-6) + 1e-9
        value, x = self.contacts.best(np.zeros(n), self.load, self.opens, weight=np.ones(n), friction=s)
        squeezed = x is not None and np.linalg.norm(x) > 20 * self.least_norm()
        if squeezed:  # ever larger forces would need ever less friction
            self.say("forces (squeezed)", bool(used <= 1.0), f"utilisation {used}")
            return
        self.say("utilisation", near(used, scale, 1e-3, 2e-5), f"{used}, friction_scale {scale}")
        if x is None:
            self.say("least norm", None)
            return
        self.say("least norm", bool(np.linalg.norm(lam) <= 1.01 * np.linalg.norm(x)),
                 f"{np.linalg.norm(lam)}, judge {np.linalg.norm(x)}")

    def least_norm(self):
        n = len(self.contacts.gamma)
        friction = max(1.0, number(self.report["margins"].get("friction_scale")) or 1.0) * (1 + 1e-6)
        x = self.contacts.best(np.zeros(n), self.load, self.opens, weight=np.ones(n), friction=friction)[1]
        return INFINITY if x is None else np.linalg.norm(x)

    def intervals(self):
        contacts = self.contacts
        unit = np.eye(len(contacts.gamma))
        for contact, shown in zip(contacts.contacts, self.report["contacts"]):
            low, high = (number(v) for v in shown["normal_interval"])
            least = contacts.best(unit[contact["row"]], self.load, self.opens)[0]
            most = contacts.best(-unit[contact["row"]], self.load, self.opens)[0]
            if least is None or most is None:
                self.say("normal_interval", None)
                continue
            least, most = least * contacts.size, -most * contacts.size
            good = near(low, least, 1e-4, 1e-5 * contacts.size) and near(high, most, 1e-4, 1e-5 * contacts.size)
            self.say("normal_interval", bool(good), f"{contact['name']} [{low}, {high}], judge [{least}, {most}]")

    def effort(self):
        margins = self.report["margins"]
        if "effort" not in margins:
            if any(math.isfinite(number(m["upper"])) for m in self.report["certificate"]["problem"].get("actuators", [])):
                self.say("effort", None, "absent")
            return
        contacts, n = self.contacts, len(self.contacts.gamma)
        shown = number(margins["effort"])
        lower, upper = contacts.lower.copy(), contacts.upper.copy()
        scaled = (lower != upper) & (lower <= 0.0) & (upper >= 0.0)
        best = INFINITY
        for signs in contacts.patterns():
            contacts.lower = np.where(scaled, -INFINITY, lower)
            contacts.upper = np.where(scaled, INFINITY, upper)
            program = contacts.program(self.load, self.opens, signs=signs, extra=1)
            contacts.lower, contacts.upper = lower, upper
            if program is None:
                continue
            program.at_most(-np.eye(n + 1)[n], 0.0)
            for d in np.flatnonzero(scaled):
                carried = np.append(contacts.J[:, d], 0.0)
                for bound, sign in ((upper[d], 1.0), (lower[d], -1.0)):
                    if math.isfinite(bound):  # sign (load - carried) <= sign bound sigma
                        row = -sign * carried
                        row[n] -= sign * bound / contacts.size
                        program.at_most(row, -sign * self.load[d] / contacts.size)
            answer = program.solve(np.eye(n + 1)[n])
            if answer.status == "unknown":
                self.say("effort", None)
                return
            if answer.status == "optimal":
                best = min(best, answer.value)
        self.say("effort", near(shown, best) if shown is not None else math.isinf(best), f"{shown}, judge {best}")

    def push(self):
        """At the root's origin, where it is a force on the first three rows, in the root's axes."""
        if self.pushed is None or self.report["verdict"] != "holds":
            return
        if "push" not in self.report["margins"]:
            self.say("push", None, "absent")
            return
        n, way = len(self.contacts.gamma), np.zeros(len(self.load))
        way[:3] = self.pushed
        shown = number(self.report["margins"]["push"])
        cost = np.append(np.zeros(n), -1.0)  # the pushed load is load - t way; forces and t are measured by size
        value = self.contacts.best(cost, self.load, self.opens, extra=1, moving=way[:, None])[0]
        most = None if value is None else -value * self.contacts.size
        self.say("push", near(shown, most, 1e-4, 1e-5 * self.contacts.size), f"{shown}, judge {most}")

    # ------------------------------------------------------------------------------------------------------- repairs

    def repairs(self):
        for repair in self.report["repair"]:
            change = repair["change"]
            if change == "mu":
                i = next(k for k, c in enumerate(self.contacts.contacts) if c["name"] == repair["contact"])
                self.least("repair mu", lambda v, i=i: self.holds(mu={i: v}), number(repair["to"]))
            elif change == "friction_scale":
                self.least("repair friction_scale", lambda v: self.holds(friction=v), number(repair["to"]))
            elif change == "effort_scale":
                self.least("repair effort_scale", self.holds_with_effort, number(repair["to"]))
            elif change == "force":
                self.force("repair force", self.generalised(repair["add"]))
        self.as_printed()

    def least(self, what, holds, value):
        enough, less = holds(value), holds(0.999 * value)
        if enough is None:
            enough = holds(value * (1 + 1e-7))
        self.say(what, False if enough is False or less else (True if enough and less is False else None), str(value))

    def holds_with_effort(self, factor):
        contacts = self.contacts
        lower, upper = contacts.lower, contacts.upper
        contacts.lower, contacts.upper = factor * lower, factor * upper
        answer = self.holds()
        contacts.lower, contacts.upper = lower, upper
        return answer

    def generalised(self, by_joint):
        add = np.zeros(len(self.contacts.F))
        for d, joint in enumerate(self.report["certificate"]["problem"]["joints"]):
            name = joint["model"] + "/" + (joint["joint"] or "base")
            values = by_joint[name]
            add[d] = number(values[joint["index"]] if isinstance(values, list) else values)
        return add

    def force(self, what, add):
        """Applied, it holds; 0.1 % less, or what the conic solver can tell apart if that is more, it does not."""
        answers = []
        told_apart = 1e-9 * self.contacts.size / max(np.abs(add).max(), 1e-300)
        for share in (1.0, 1.0 - max(1e-3, told_apart)):
            F = self.contacts.F - share * add
            a, opens = self.contacts.motion(F)
            answers.append(self.contacts.holds(self.contacts.M @ a + F, opens))
        enough, less = answers
        good = False if enough is False or less is True else (True if enough and less is False else None)
        if told_apart >= 1.0:
            good = None if enough is not False else False
        self.say(what, good, f"applied {enough}, {max(0.1, 100 * told_apart):.3g} % less {less}, |add| {np.linalg.norm(add):.4g}")

    def as_printed(self):
        """The text for people: its rounded numbers must do as well."""
        text = self.stiction("check", self.path).replace("\n   ", " ")
        dofs = {name: d for d, name in enumerate(self.report["certificate"]["problem"]["dofs"])}
        names = {c["name"]: i for i, c in enumerate(self.contacts.contacts)}
        found = re.search(r"generalised force added[^:]*: (.*)", text)
        if found:
            add = np.zeros(len(dofs))
            for name, value in re.findall(r"(\S+) ([-+][0-9.e+-]+)", found.group(1)):
                add[dofs[name]] = float(value)
            self.force("printed force", add)
        for name, value in re.findall(r"friction of (\S+) alone raised from \S+ to (\S+)", text):
            i = names[name]
            self.least("printed mu", lambda v, i=i: self.holds(mu={i: v}), float(value))
        for value in re.findall(r"every friction coefficient times (\S+)", text):
            self.least("printed friction_scale", lambda v: self.holds(friction=v), float(value))
        for value in re.findall(r"every effort limit times (\S+)", text):
            self.least("printed effort_scale", self.holds_with_effort, float(value))


def judge_region(path, report, tally):
    """Area and distance of the centre of mass from the boundary, from support points in many directions."""
    where, margins, region = os.path.basename(path), report["margins"], report["region"]
    contacts = Contacts(report["certificate"]["problem"])
    n = len(contacts.gamma)
    load = contacts.M @ np.array(report["certificate"]["a"], dtype=float) + contacts.F
    shift = np.array(report["certificate"]["shift"], dtype=float).reshape(2, -1).T \
        if np.array(report["certificate"]["shift"]).shape[0] == 2 else np.array(report["certificate"]["shift"])
    # load + shift c = carried: c are two variables more
    corners, supports = [], []
    angles = np.linspace(0.0, 2 * math.pi, 97)[:-1]
    for angle in angles:
        way = np.array([math.cos(angle), math.sin(angle)])
        value, x = contacts.best(np.concatenate([np.zeros(n), -way]), load, set(), extra=2, moving=-shift / contacts.size)
        if value is None:
            tally.judge("region com", None, where, "")
            return
        if x is None:
            kind = "empty" if value == INFINITY else "unbounded"
            tally.judge("region kind", region["kind"] == kind, where, f"{region['kind']}, judge {kind}")
            return
        corners.append(x[n:])
        supports.append(-value)
    tally.judge("region kind", region["kind"] == "bounded", where, region["kind"])
    corners, supports = np.array(corners), np.array(supports)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    inner = polygon_area(corners)
    outer = polygon_area(outer_corners(ways, supports))
    low, high = (number(v) for v in region["area"])
    slop = 1e-7 + 1e-5 * outer
    good = inner * 0.99 - slop <= low <= outer + slop and inner - slop <= high <= outer * 1.01 + slop
    tally.judge("region area", bool(good), where, f"[{low}, {high}], judge [{inner}, {outer}]")
    com = number(margins["com"])
    # The nearest held position, exactly: min t with |c| <= t.
    program = contacts.program(load, set(), extra=3, moving=np.hstack([-shift / contacts.size, np.zeros((len(load), 1))]))
    unit = np.eye(n + 3)
    program.cone([unit[n + 2], unit[n], unit[n + 1]])
    answer = program.solve(unit[n + 2])
    if answer.status != "optimal":
        tally.judge("region com", None, where, "")
        return
    low, high = (number(v) for v in margins["intervals"]["com"])
    if answer.value > 1e-6:
        good = low - 1e-6 <= -answer.value <= high + 1e-6 and near(com, -answer.value, 0.05, 1e-5)
    else:
        least, most = distance_to_sides(corners), supports.min()
        good = com == low and 0.95 * least - 1e-5 <= low <= most + 1e-6 and least - 1e-6 <= high <= 1.05 * most + 1e-5
    tally.judge("region com", bool(good), where, f"[{low}, {high}], judge {-answer.value} or {supports.min()} inside")


def polygon_area(points):
    x, y = points[:, 0], points[:, 1]
    return 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def outer_corners(ways, supports):
    corners = []
    for k in range(len(ways)):
        pair = np.array([ways[k], ways[(k + 1) % len(ways)]])
        corners.append(np.linalg.solve(pair, [supports[k], supports[(k + 1) % len(ways)]]))
    return np.array(corners)


def segment_distance(p, q):
    side = q - p
    t = np.clip(-np.dot(p, side) / max(np.dot(side, side), 1e-30), 0.0, 1.0)
    return np.linalg.norm(p + t * side)


def distance_to_sides(corners):
    return min(segment_distance(p, q) for p, q in zip(corners, np.roll(corners, -1, axis=0)))


# ---------------------------------------------------------------------------------------------------------------- draws

class Draws:
    """Random scenes as documents of the scenario format."""

    def __init__(self, rng, robots, source):
        self.rng, self.robots, self.source = rng, robots, source

    def effort_of(self, report, digits):
        return {name.split("/", 1)[1]: float(f"{number(value):.{digits}g}") for name, value in report["efforts"].items()}

    def joints(self, path, symmetric):
        text = open(os.path.join(self.robots, "example-robot-data/robots", path)).read()
        bend = 0.0 if symmetric else 0.3
        joints = {}
        for match in re.finditer(r'<joint[^>]*name="([^"]+)"[^>]*type="(revolute|continuous)"(.*?)</joint>', text, re.S):
            name = match.group(1)
            if re.search(r"HFE|hfe|thigh", name):
                back = re.match(r"H|RH|LH|lh|rh", name) and "RL_" not in name
                nominal = -0.7 if back else 0.7
            elif re.search(r"KFE|kfe|calf", name):
                back = re.match(r"H|RH|LH|lh|rh", name)
                nominal = 1.4 if back else -1.4
            else:
                nominal = 0.0
            value = nominal + bend * self.rng.uniform(-1, 1)
            limit = re.search(r'<limit[^>]*>', match.group(3))
            if limit:
                low = re.search(r'lower="([^"]+)"', limit.group(0))
                high = re.search(r'upper="([^"]+)"', limit.group(0))
                if low and high and float(low.group(1)) < float(high.group(1)):
                    value = min(max(value, float(low.group(1))), float(high.group(1)))
            joints[name] = round(value, 4)
        return joints

    def stance(self, question):
        rng = self.rng
        biped = rng.random() < 0.4
        path, feet = list((BIPEDS if biped else QUADRUPEDS).items())[rng.integers(len(BIPEDS if biped else QUADRUPEDS))]
        symmetric = rng.random() < 0.4
        tilt = 0.0 if symmetric else rng.uniform(0.0, 0.35)
        heading = rng.uniform(0, 2 * math.pi)
        model = {"urdf": f"package://example-robot-data/robots/{path}", "base": "floating",
                 "pose": {"xyz": [0, 0, 0.5], "rpy": [0, 0, 0] if symmetric else list(rng.uniform(-0.2, 0.2, 3))},
                 "joints": self.joints(path, symmetric), "effort": "limits"}
        if biped:
            model["joints"] = {k: round(0.3 * v, 4) for k, v in model["joints"].items()}
            model["joints"] = {k: v for k, v in model["joints"].items()} if not symmetric else {}
        used = feet if biped or rng.random() < 0.6 else list(rng.permutation(feet)[:rng.integers(2, 4)])
        if biped and rng.random() < 0.3:
            used = feet[:1]
        slope = [math.sin(tilt) * math.cos(heading), math.sin(tilt) * math.sin(heading), math.cos(tilt)]
        mu = round(rng.uniform(0.2, 1.0), 2)
        contacts = []
        for foot in used:
            normal = slope
            if not symmetric and rng.random() < 0.4:
                lean = np.array(slope) + rng.uniform(-0.4, 0.4, 3)
                normal = list(lean / np.linalg.norm(lean))
            entry = {"name": foot, "link": f"robot/{foot}", "normal": [float(v) for v in normal], "normal_frame": "world",
                     "mu": mu if symmetric else round(rng.uniform(0.2, 1.0), 2)}
            if biped:
                entry["points"] = [[0.1, 0.04, 0], [0.1, -0.04, 0], [-0.06, 0.04, 0], [-0.06, -0.04, 0]]
            else:
                entry["at"] = [0, 0, 0]
            if rng.random() < 0.1 and not symmetric:
                entry["max_normal"] = round(rng.uniform(50, 400), 1)
            if rng.random() < 0.05 and not biped and not symmetric:
                entry["side"] = "bilateral"
            contacts.append(entry)
        scene = {"stiction": 1, "models": {"robot": model}, "contacts": contacts, "question": question}
        if rng.random() < 0.3 and not symmetric:
            root = self.root_of(path)
            scene["loads"] = [{"link": f"robot/{root}", "force": [round(v, 2) for v in rng.uniform(-30, 30, 3)]}]
        return scene

    def root_of(self, path):
        text = open(os.path.join(self.robots, "example-robot-data/robots", path)).read()
        text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
        children = set(re.findall(r'<child\s+link="([^"]+)"', text))
        return next(name for name in re.findall(r'<link\s+name="([^"]+)"', text) if name not in children)

    def push(self, scene):
        """Adds a push at the root's origin; returns its direction in the root's axes."""
        model = scene["models"]["robot"]
        way = self.rng.normal(size=3)
        way /= np.linalg.norm(way)
        root = self.root_of(model["urdf"].split("robots/", 1)[1])
        scene["options"] = {"push": {"link": f"robot/{root}", "at": [0, 0, 0], "direction": [float(v) for v in way]}}
        (sr, sp, sy), (cr, cp, cy) = np.sin(model["pose"]["rpy"]), np.cos(model["pose"]["rpy"])
        turn = np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                         [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]])
        return turn.T @ way

    def grasp(self):
        rng = self.rng
        half = np.array([0.1, 0.1, 0.1])  # urdf/box.urdf
        symmetric = rng.random() < 0.3
        contacts = []
        count = int(rng.integers(3, 7))
        for k in range(count):
            side, sign = (k // 2 % 3, 1 - 2 * (k % 2)) if symmetric else (rng.integers(3), rng.choice([-1, 1]))
            point = np.zeros(3) if symmetric else rng.uniform(-0.9, 0.9, 3) * half
            point[side] = sign * half[side]
            normal = np.zeros(3)
            normal[side] = -sign
            if not symmetric and rng.random() < 0.5:
                normal += rng.uniform(-0.4, 0.4, 3)
                normal /= np.linalg.norm(normal)
            contacts.append({"name": f"c{k}", "link": "box/box", "at": [float(v) for v in point],
                             "normal": [float(v) for v in normal], "mu": round(rng.uniform(0.2, 1.0), 2)})
        return {"stiction": 1, "models": {"box": {"urdf": os.path.join(self.source, "urdf/box.urdf")}},
                "contacts": contacts, "question": "closure"}


# ---------------------------------------------------------------------------------------------------------------- grasps

class GraspJudge:
    def __init__(self, scene, report, where, tally):
        self.report, self.where, self.tally = report, where, tally
        quality = report["quality"]
        point, length = np.array(quality["torque_point"]), quality["torque_length"]
        self.blocks, self.mu = [], []
        for contact in scene["contacts"]:
            normal = np.array(contact["normal"])
            first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
            first /= np.linalg.norm(first)
            arm = np.array(contact["at"]) - point
            axes = [normal, first, np.cross(normal, first)]
            self.blocks.append(np.array([np.concatenate([f, np.cross(arm, f) / length]) for f in axes]))
            self.mu.append(contact["mu"])

    def closed(self, factor):
        """True: forces strictly inside the cones balance and span everything; None: too near to tell."""
        if np.linalg.matrix_rank(np.vstack(self.blocks), tol=1e-9) < 6 or factor <= 0.0:
            return False
        n = 3 * len(self.blocks)
        program = Program(n + 1)
        program.equal(np.hstack([np.vstack(self.blocks).T, np.zeros((6, 1))]), np.zeros(6))
        unit = np.eye(n + 1)
        program.equal(sum(unit[3 * i] for i in range(len(self.blocks)))[None], [1.0])
        for i, mu in enumerate(self.mu):
            program.cone([factor * mu * (unit[3 * i] - unit[n]), unit[3 * i + 1], unit[3 * i + 2]])
        answer = program.solve(-unit[n])
        if answer.status == "infeasible":
            return False
        if answer.status != "optimal" or abs(answer.value) < 1e-8:  # forces at a rim whatever the friction: a twist tells
            free = self.free(factor)
            return None if free is None else not free
        return answer.value < 0

    def free(self, factor):
        """Is there a twist that no contact opposes? They are a cone: within a cube such a one reaches a side."""
        known = True
        for k in range(6):
            for sign in (1.0, -1.0):
                program = Program(6)
                for b, mu in zip(self.blocks, self.mu):
                    program.cone([-b[0], factor * mu * b[1], factor * mu * b[2]])
                program.at_most(np.vstack([np.eye(6), -np.eye(6)]), np.ones(12))
                answer = program.solve(-sign * np.eye(6)[k])
                if answer.status == "optimal" and -answer.value > 0.99:
                    return True
                known = known and answer.status == "optimal" and -answer.value < 0.01
        return False if known else None

    def support(self, way, rule):
        values = [b[0] @ way + mu * math.hypot(b[1] @ way, b[2] @ way) for b, mu in zip(self.blocks, self.mu)]
        return max(values) if rule == "l1" else sum(max(v, 0.0) for v in values)

    def epsilon(self, rule, rng):
        """Least support over all directions: an upper bound of epsilon that starts from many of them."""
        ways = rng.normal(size=(300, 6))
        for way in ways[:150]:  # kinks, where searches end, lie where nothing moves along some axes
            way[rng.permutation(6)[:rng.integers(1, 6)]] = 0.0
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        ways = [way for half in (ways[:150], ways[150:]) for way in sorted(half, key=lambda w: self.support(w, rule))[:12]]
        best = INFINITY
        n = len(self.blocks)
        normals, tangents = np.array([b[0] for b in self.blocks]), np.array([b[1:] for b in self.blocks])
        mus = np.array(self.mu)
        more = 1 if rule == "l1" else n
        for way in ways:
            values = np.array([b[0] @ way + mu * math.hypot(b[1] @ way, b[2] @ way)
                               for b, mu in zip(self.blocks, self.mu)])
            start = np.concatenate([way, [values.max()] if rule == "l1" else np.maximum(values, 0.0)])

            def slip(z):
                return np.sqrt(np.square(tangents @ z[:6]).sum(axis=1) + 1e-18)

            def slack(z):
                return (z[6] if rule == "l1" else z[6:]) - normals @ z[:6] - mus * slip(z)

            def slack_gradient(z):
                slope = np.einsum("ck,ckj->cj", tangents @ z[:6], tangents) / slip(z)[:, None]
                bounds_part = np.ones((n, 1)) if rule == "l1" else np.eye(n)
                return np.hstack([-normals - mus[:, None] * slope, bounds_part])

            bounds = [(None, None)] * 6 + [(None, None) if rule == "l1" else (0.0, None)] * (1 if rule == "l1" else n)
            found = optimize.minimize(lambda z: z[6:].sum(), start, method="SLSQP", bounds=bounds,
                                      jac=lambda z: np.concatenate([np.zeros(6), np.ones(more)]),
                                      constraints=[{"type": "ineq", "fun": slack, "jac": slack_gradient},
                                                   {"type": "eq", "fun": lambda z: z[:6] @ z[:6] - 1.0,
                                                    "jac": lambda z: np.concatenate([2.0 * z[:6], np.zeros(more)])}],
                                      options={"maxiter": 200, "ftol": 1e-10})
            end = found.x[:6] / np.linalg.norm(found.x[:6])
            best = min(best, self.support(end, rule), self.support(way, rule))
        return best

    def all(self, rng):
        report = self.report
        if "friction_scale" in report["margins"]:
            value = number(report["margins"]["friction_scale"])
            self.tally.judge("closure friction_scale", judge_least(self.closed, value, 1e-4), self.where, str(value))
        else:
            self.tally.judge("closure friction_scale", None, self.where, "absent")
        held = self.closed(1.0)
        closed = report["closure"]["frictional_form_closure"]["verdict"]
        self.tally.judge("closure verdict", None if held is None else held == (closed == "holds"), self.where, closed)
        for rule in ("l1", "linf"):
            entry = report["quality"].get("epsilon_" + rule)
            if entry is None:
                self.tally.judge("epsilon_" + rule, None, self.where, "absent")
                continue
            low, high = (number(v) for v in entry)
            if not held:
                verdict = None if held is None else low <= 1e-9 and high <= 1e-6
                self.tally.judge("epsilon_" + rule, verdict, self.where, f"[{low}, {high}] of an open grasp")
                continue
            best = INFINITY
            for k in range(24):  # local searches may all end beside the least: who claims less makes them look again
                best = min(best, self.epsilon(rule, rng))
                if k >= 1 and best <= high * (1 + 1e-3) + 1e-6:
                    break
            good = low <= best * (1 + 1e-6) + 1e-9 and best <= high * (1 + 1e-3) + 1e-6 and high <= 1.05 * best + 1e-6
            self.tally.judge("epsilon_" + rule, bool(good), self.where, f"[{low}, {high}], judge {best}")


# ----------------------------------------------------------------------------------------------------------------- main

def main():
    binary, source, robots = sys.argv[1:4]
    scenes = int(os.environ.get("STICTION_MARGIN_SCENES", "24"))
    grasps = int(os.environ.get("STICTION_MARGIN_GRASPS", "24"))
    seed = int(os.environ.get("STICTION_MARGIN_SEED", "1"))
    if not os.path.isdir(os.path.join(robots, "example-robot-data")):
        print("skipped: no robots in", robots, file=sys.stderr)
        sys.exit(77)
    tally = Tally()
    folder = os.environ.get("STICTION_MARGIN_KEEP") or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)

    def stiction(*arguments):
        done = subprocess.run([binary, *arguments, "--package-path", robots], capture_output=True, text=True, timeout=120)
        if done.returncode not in (0, 1, 3):
            raise RuntimeError(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def ask(name, scene):
        path = os.path.join(folder, name + ".yaml")
        with open(path, "w") as file:
            json.dump(scene, file)  # JSON is YAML
        return path, json.loads(stiction("check", path, "--json"))

    rng = np.random.default_rng(seed)
    draws = Draws(rng, robots, source)
    for k in range(scenes):
        scene = draws.stance("equilibrium")
        pushed = draws.push(scene)
        path, report = ask(f"e_{seed}_{k}", scene)
        SceneJudge(stiction, path, report, tally, pushed).all()
        scene.pop("options")
        if report["verdict"] == "holds":  # the same stance with efforts given: it stands, nearly or exactly
            given = json.loads(json.dumps(scene))
            given["question"] = "all_sticking"
            deep = json.loads(stiction("check", path, "--json", "--set", "options.margins=false"))
            given["models"]["robot"]["effort"] = draws.effort_of(deep, 17 if k % 2 else 6)
            path, report = ask(f"s_{seed}_{k}", given)
            SceneJudge(stiction, path, report, tally).all()
            for contact in given["contacts"]:  # and with less friction
                contact["mu"] = round(contact["mu"] * rng.uniform(0.05, 0.6), 3)
            path, report = ask(f"f_{seed}_{k}", given)
            SceneJudge(stiction, path, report, tally).all()
        if all(contact.get("side") != "bilateral" for contact in scene["contacts"]):  # else a union of convex pieces
            path, report = ask(f"r_{seed}_{k}", dict(scene, question="region"))
            judge_region(path, report, tally)
        if k % 20 == 19:
            print(f"{k + 1} scenes: {tally.counts()}", flush=True)
    for k in range(grasps):
        grasp = draws.grasp()
        path, report = ask(f"g_{seed}_{k}", grasp)
        GraspJudge(grasp, report, os.path.basename(path), tally).all(rng)
        if k % 50 == 49:
            print(f"{k + 1} grasps: {tally.counts()}", flush=True)
    sys.exit(0 if tally.finish() else 1)


main()
