"""from_mujoco: models with answers known beforehand, and random scenes against a conic solver."""

import glob
import math
import os
import warnings

import numpy as np
import pytest

import stiction

mujoco = pytest.importorskip("mujoco")
clarabel = pytest.importorskip("clarabel")
from scipy import sparse  # noqa: E402


def state_of(xml, **values):
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    for name, value in values.items():
        getattr(data, name)[:] = value
    return model, data


def box_on_slope(degrees, mu, extra=""):
    return state_of(f"""
<mujoco><option gravity="{9.81 * math.sin(math.radians(degrees))} 0 {-9.81 * math.cos(math.radians(degrees))}"/>
<worldbody><geom name="ground" type="plane" size="1 1 1" friction="{mu} 0.005 0.0001"/>
<body name="box" pos="0 0 0.0999"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" mass="2" friction="0.01 0.005 0.0001"/>
{extra}</body></worldbody></mujoco>""")


@pytest.mark.parametrize("question", ["all_sticking", "equilibrium"])
@pytest.mark.parametrize("degrees", [5.0, 20.0, 35.0])
def test_a_box_holds_up_to_the_angle_of_friction(degrees, question):
    limit = math.tan(math.radians(degrees))
    holds = stiction.from_mujoco(*box_on_slope(degrees, limit * (1 + 1e-6)))
    slips = stiction.from_mujoco(*box_on_slope(degrees, limit * (1 - 1e-6)))
    assert len(holds.contacts) == 4 and holds.nv == 6
    assert stiction.check(holds, question=question).verdict == "holds"
    report = stiction.check(slips, question=question)
    assert report.verdict == "fails" and "slides" in report.summary
    assert stiction.check(holds, question=question).margins["friction_scale"].value == pytest.approx(1 / (1 + 1e-6), rel=1e-4)


def test_the_velocity_and_the_state_are_left_alone():
    model, data = box_on_slope(20.0, 0.5)
    data.qvel[:] = 0.1
    mujoco.mj_forward(model, data)
    before = data.qvel.copy(), data.qacc.copy(), data.time
    problem = stiction.from_mujoco(model, data)
    assert np.array_equal(data.qvel, before[0]) and np.array_equal(data.qacc, before[1]) and data.time == before[2]
    assert not problem.gamma.any() and stiction.check(problem).verdict == "holds"
    model, data = state_of(FOUR_BAR.format(limit=1, joint='damping="3"', loop=LOOP), qpos=[0.3, -0.3, 0.3])
    at_rest = stiction.from_mujoco(model, data).F
    data.qvel[:] = [3, -3, 3]   # centrifugal and damping forces
    assert np.array_equal(stiction.from_mujoco(model, data).F, at_rest)


def test_applied_forces_count():
    model, data = box_on_slope(0.0, 0.5)
    data.xfrc_applied[1, :3] = (0.49 * 2 * 9.81, 0, 0)   # at the centre: it tips at 0.99 of the weight
    assert stiction.check(stiction.from_mujoco(model, data)).verdict == "holds"
    data.xfrc_applied[1, 0] = 0.51 * 2 * 9.81
    assert stiction.check(stiction.from_mujoco(model, data)).verdict == "fails"
    data.xfrc_applied[1] = 0
    data.qfrc_applied[0] = 0.51 * 2 * 9.81
    assert stiction.check(stiction.from_mujoco(model, data)).verdict == "fails"


PINCH = """
<mujoco><option gravity="0 0 -9.81"/><default><geom friction="0.5 0.005 0.0001" {condim}/></default><worldbody>
<body pos="-0.099 0 1"><joint name="left" type="slide" axis="1 0 0"/><geom name="lt" type="sphere" size="0.05" mass="0.1"/></body>
<body pos="0.099 0 1"><joint name="right" type="slide" axis="-1 0 0"/><geom name="rt" type="sphere" size="0.05" mass="0.1"/></body>
<body pos="0 {offset} 1"><freejoint name="object"/><geom name="o" type="box" size="0.05 0.05 0.05" mass="1"/></body></worldbody>
<actuator><motor name="ml" joint="left" {limit}/><motor name="mr" joint="right" {limit}/></actuator></mujoco>"""


def pinch(limit, condim="", offset=0.0):
    return state_of(PINCH.format(limit=limit, condim=condim, offset=offset))


def test_a_pinch_needs_a_squeeze():
    squeeze = 9.81 / (2 * 0.5)   # weight over two fingers, over mu
    enough = f'ctrlrange="0 {squeeze * 1.001}" ctrllimited="true"'
    weak = f'ctrlrange="0 {squeeze * 0.999}" ctrllimited="true"'
    assert stiction.check(stiction.from_mujoco(*pinch(enough)), question="equilibrium").verdict == "holds"
    report = stiction.check(stiction.from_mujoco(*pinch(weak)), question="equilibrium")
    assert report.verdict == "fails" and "weak" in report.summary
    # The same through gears, force ranges and the limit of the joint.
    halved = f'gear="-2" ctrlrange="{-squeeze * 0.501} 0" ctrllimited="true"'
    assert stiction.check(stiction.from_mujoco(*pinch(halved)), question="equilibrium").verdict == "holds"
    clipped = f'ctrlrange="0 100" ctrllimited="true" forcerange="0 {squeeze * 0.999}" forcelimited="true"'
    assert stiction.check(stiction.from_mujoco(*pinch(clipped)), question="equilibrium").verdict == "fails"
    # Given efforts.
    model, data = pinch('ctrlrange="0 100" ctrllimited="true"')
    data.ctrl[:] = squeeze * 1.001
    given = stiction.from_mujoco(model, data, efforts="given")
    assert not given.actuators and stiction.check(given).verdict == "holds"
    data.ctrl[:] = squeeze * 0.999
    assert stiction.check(stiction.from_mujoco(model, data, efforts="given")).verdict == "fails"
    assert stiction.check(stiction.from_mujoco(model, data, efforts="none")).verdict == "fails"


def test_soft_fingers_stop_the_object_from_turning():
    limit = 'ctrlrange="0 30" ctrllimited="true"'
    off = 0.02   # the centre of mass beside the axis of the fingers
    hard = stiction.from_mujoco(*pinch(limit, offset=off))
    assert stiction.check(hard, question="equilibrium").verdict == "fails"
    soft = stiction.from_mujoco(*pinch(limit, 'condim="4"', off))
    assert [c.torsion for c in soft.contacts] == [0.005, 0.005]
    # Two contacts carry m g off = 2 torsion N: N = 19.62 N, less than the 30 N at hand.
    report = stiction.check(soft, question="equilibrium")
    assert report.verdict == "holds"
    needed = 9.81 * off / (2 * 0.005)
    for factor, verdict in ((1.001, "holds"), (0.999, "fails")):
        limit = f'ctrlrange="0 {needed * factor}" ctrllimited="true"'
        assert stiction.check(stiction.from_mujoco(*pinch(limit, 'condim="4"', off)), question="equilibrium").verdict == verdict


def test_frictionless_contacts_have_no_tangents():
    problem = stiction.from_mujoco(*pinch('ctrlrange="0 100" ctrllimited="true"', 'condim="1"'))
    assert [(c.tangents, c.mu) for c in problem.contacts] == [(0, 0.0)] * 2
    assert stiction.check(problem, question="equilibrium").verdict == "fails"


FOUR_BAR = """
<mujoco><option gravity="0 0 -9.81"/><worldbody>
<body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.01" mass="1" contype="0" conaffinity="0"/>
 <body name="coupler" pos="0 0 0.3"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.01" mass="1" contype="0" conaffinity="0"/></body></body>
<body name="rocker" pos="0.4 0 0"><joint name="c" axis="0 1 0" {joint}/><geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.01" mass="1" contype="0" conaffinity="0"/></body>
</worldbody><equality>{loop}</equality>
<actuator><motor joint="a" ctrlrange="-{limit} {limit}" ctrllimited="true"/></actuator></mujoco>"""
LOOP = '<connect body1="coupler" body2="rocker" anchor="0.4 0 0"/>'


def test_a_four_bar_loop_stands_upright():
    """A parallelogram with upright cranks is in balance; leaning by theta one motor carries all: a fall by theta lowers the
    coupler and both cranks, (m l + 2 m l / 2) g sin theta."""
    upright = stiction.from_mujoco(*state_of(FOUR_BAR.format(limit=1e-3, joint="", loop=LOOP)))
    assert [(loop.rows) for loop in upright.loops] == [3]
    assert stiction.check(upright, question="equilibrium").verdict == "holds"
    assert stiction.check(stiction.from_mujoco(*state_of(FOUR_BAR.format(limit=1e-3, joint="", loop=""))),
                          question="equilibrium").verdict == "fails"   # the coupler falls
    theta = 0.3
    moment = 2 * 0.3 * 9.81 * math.sin(theta)
    for factor, verdict in ((1.001, "holds"), (0.999, "fails")):
        leaning = state_of(FOUR_BAR.format(limit=moment * factor, joint="", loop=LOOP), qpos=[theta, -theta, theta])
        assert stiction.check(stiction.from_mujoco(*leaning), question="equilibrium").verdict == verdict
    # Dry friction of a joint carries, a stop does, and so does a spring.
    for joint, verdict in ((f'frictionloss="{moment * 1.01}"', "holds"), (f'frictionloss="{moment * 0.98}"', "fails"),
                           (f'limited="true" range="-10 {math.degrees(theta - 1e-4)}"', "holds"),
                           (f'limited="true" range="{math.degrees(theta + 1e-4)} 90"', "fails"),
                           (f'stiffness="{moment / theta}"', "holds")):
        leaning = state_of(FOUR_BAR.format(limit=moment * 0.01, joint=joint, loop=LOOP), qpos=[theta, -theta, theta])
        assert stiction.check(stiction.from_mujoco(*leaning), question="equilibrium").verdict == verdict, joint


def test_what_it_does_not_know_it_says():
    xml = PINCH.replace('<motor name="mr" joint="right" {limit}/>', '<motor name="mt" tendon="t" {limit}/>').replace(
        "<actuator>", '<tendon><fixed name="t"><joint joint="left" coef="1"/><joint joint="right" coef="1"/></fixed></tendon><actuator>')
    model, data = state_of(xml.format(limit="", condim="", offset=0.0))
    data.ctrl[1] = 7.0
    with pytest.warns(UserWarning, match="mt"):
        problem = stiction.from_mujoco(model, data)
    assert [a.name for a in problem.actuators] == ["ml"]
    free = stiction.from_mujoco(model, data, efforts="none")
    assert np.allclose(free.F - problem.F, [7, 7, 0, 0, 0, 0, 0, 0])
    with pytest.raises(stiction.InputError, match="efforts"):
        stiction.from_mujoco(model, data, efforts="all")
    with pytest.warns(UserWarning, match="rolling"):
        stiction.from_mujoco(*pinch("", 'condim="6"'))


def conic(problem, cost_of, balance_cone):
    """Clarabel's answer over x = (lambda, tau, s, t), with every cone and limit contracted by s <= 1, and the balance
    J' lambda + S' tau - F in a cone of t."""
    n, scale = problem.rows + len(problem.actuators), max(1.0, np.abs(problem.F).max())
    s, t = n, n + 1
    A, b, cones = [], [], []

    def add(rows, offsets, cone):   # rows x + offsets in the cone
        A.extend([-sum(value * np.eye(n + 2)[index] for index, value in row) for row in rows])
        b.extend(offsets)
        cones.append(cone)

    balance = [[(int(r), problem.J[r, dof]) for r in range(problem.rows)]
               + [(problem.rows + k, 1.0) for k, actuator in enumerate(problem.actuators) if actuator.dof == dof] + [(s, 0.0)]
               for dof in range(problem.nv)]
    if balance_cone:
        add([[(t, 1.0)], *balance], [0.0, *(-problem.F / scale)], clarabel.SecondOrderConeT(problem.nv + 1))
    else:
        add(balance, -problem.F / scale, clarabel.ZeroConeT(problem.nv))
    for c in problem.contacts:
        r = c.row
        if c.tangents:
            add([[(r, c.mu), (s, -1.0)], [(r + 1, 1.0)], [(r + 2, 1.0)]], [0.0] * 3, clarabel.SecondOrderConeT(3))
        add([[(r, 1.0), (s, -1.0)], [(r, -1.0)]], [0.0, 1e3], clarabel.NonnegativeConeT(2))
        if c.torsion is not None:
            add([[(r, c.torsion), (r + 3, sign), (s, -1.0)] for sign in (1.0, -1.0)], [0.0] * 2, clarabel.NonnegativeConeT(2))
    for k, actuator in enumerate(problem.actuators):
        add([[(problem.rows + k, sign), (s, -1.0)] for sign in (1.0, -1.0)],
            [-actuator.lower / scale, actuator.upper / scale], clarabel.NonnegativeConeT(2))
    add([[(s, -1.0)], [(s, 1.0)], [(t, 1.0)]], [1.0 if not balance_cone else 0.0, 1e3 if not balance_cone else 0.0, 0.0],
        clarabel.NonnegativeConeT(3))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cost = np.zeros(n + 2)
    cost[s], cost[t] = cost_of
    solution = clarabel.DefaultSolver(sparse.csc_matrix((n + 2, n + 2)), cost, sparse.csc_matrix(np.array(A)), np.array(b),
                                      cones, settings).solve()
    known = str(solution.status) in ("Solved", "AlmostSolved")
    return (solution.x[s], solution.x[t]) if known else (math.nan, math.nan)


def conic_verdict(problem):
    """Holds: forces balance with slack in every cone. Fails: what is nearest leaves something. None: too near to say,
    or not known."""
    if conic(problem, (0.0, 1.0), True)[1] > 1e-5:
        return "fails"
    return "holds" if conic(problem, (-1.0, 1.0), False)[0] > 1e-6 else None


def random_scene(rng):
    """A few boxes and spheres thrown onto a tilted plane and settled by the simulator, one of them held by a motor."""
    bodies, condims = "", [1, 3, 3, 3, 4]
    for i in range(rng.integers(1, 4)):
        size = rng.uniform(0.05, 0.12, 3)
        kind = f'type="box" size="{size[0]} {size[1]} {size[2]}"'
        bodies += f"""<body pos="{rng.uniform(-0.1, 0.1)} {rng.uniform(-0.1, 0.1)} {0.15 + 0.3 * i}" euler="0 0 {rng.uniform(0, 90)}">
<freejoint/><geom {kind} mass="{rng.uniform(0.5, 2)}" friction="{rng.uniform(0.05, 0.6)} 0.01 0.0001" condim="{rng.choice(condims)}"/></body>"""
    arm = rng.uniform(0.2, 3)
    bodies += f"""<body pos="0.6 0 0.3"><joint name="arm" axis="0 1 0" limited="true" range="-170 170" frictionloss="{rng.choice([0, 0.1])}"/>
<geom type="capsule" fromto="0 0 0 -0.35 0 {rng.uniform(-0.1, 0.1)}" size="0.03" mass="0.5" friction="0.3 0.01 0.0001"/></body>"""
    tilt = rng.uniform(0, 0.5)
    return state_of(f"""<mujoco><option timestep="0.002" gravity="{9.81 * math.sin(tilt)} 0 {-9.81 * math.cos(tilt)}"/>
<worldbody><geom type="plane" size="3 3 1" friction="{rng.uniform(0.05, 0.6)} 0.01 0.0001" condim="3"/>{bodies}</worldbody>
<actuator><motor joint="arm" ctrlrange="{-arm} {arm}" ctrllimited="true"/></actuator></mujoco>""")


def test_random_scenes_agree_with_a_conic_solver():
    rng = np.random.default_rng(11)
    checker, counts = stiction.EquilibriumChecker(), {"holds": 0, "fails": 0, None: 0}
    for _ in range(60):
        model, data = random_scene(rng)
        for steps in range(3):
            mujoco.mj_step(model, data, 150)
            problem = stiction.from_mujoco(model, data)
            expected = conic_verdict(problem)
            counts[expected] += 1
            if expected is not None:
                assert checker.check(problem, largest_slack=False, explain=False).verdict == expected, problem
    assert counts["holds"] >= 20 and counts["fails"] >= 20 and counts[None] <= 10, counts


def menagerie_scenes():
    """Scenes of MuJoCo's collection of robots in the folder STICTION_MENAGERIE."""
    return sorted(glob.glob(os.path.join(os.environ.get("STICTION_MENAGERIE", ""), "*", "scene*.xml")))


@pytest.mark.skipif(not os.environ.get("STICTION_MENAGERIE"), reason="STICTION_MENAGERIE names no folder of robots")
def test_robots_of_the_menagerie_agree_with_a_conic_solver():
    """Closures that the simulator leaves open turn enormous internal forces into loads: such states say nothing."""
    checker, counts, loaded = stiction.EquilibriumChecker(), {"holds": 0, "fails": 0, None: 0, "open": 0}, []
    for path in menagerie_scenes():
        try:
            model = mujoco.MjModel.from_xml_path(path)
        except ValueError as error:
            print(f"not loaded: {path}: {error}")
            continue
        loaded.append(path)
        data = mujoco.MjData(model)
        if model.nkey:
            mujoco.mj_resetDataKeyframe(model, data, 0)
        for _ in range(4):   # stands, then its motors let go
            mujoco.mj_step(model, data, 50)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                problem = stiction.from_mujoco(model, data)
            if problem.rows == 0 or problem.rows > 120:
                continue
            closures = np.array(data.efc_type) == mujoco.mjtConstraint.mjCNSTR_EQUALITY
            if np.any(np.abs(data.efc_pos[closures]) > 1e-9):
                counts["open"] += 1
                continue
            expected = conic_verdict(problem)
            counts[expected] += 1
            got = checker.check(problem, largest_slack=False, explain=False).verdict
            assert expected is None or got == expected, (path, data.time)
    print(f"{len(loaded)} scenes: {counts}")
    assert loaded and counts["holds"] + counts["fails"] > counts[None]
