"""The shipped quadruped, standing on four feet that stay where they are while its centre of mass is moved. No ROS here."""

import math
import xml.etree.ElementTree as ElementTree

import numpy as np

HEIGHT = 0.32  # of the body frame above the ground, m: low enough for the legs to reach while the body sways
LEGS = ('lf', 'rf', 'lh', 'rh')


def _numbers(element, key, default='0 0 0'):
    return np.array([float(word) for word in (element.get(key, default) if element is not None else default).split()])


def _rotation(axis, angle):
    """Rodrigues' formula; axis is a unit vector."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


class SwayingQuadruped:
    """Joint angles and link frames for a wanted horizontal position of the centre of mass."""

    def __init__(self, urdf_text):
        robot = ElementTree.fromstring(urdf_text)
        self.links = {}  # name: (mass, centre of mass in the link frame)
        for link in robot.iter('link'):
            inertial = link.find('inertial')
            mass = float(inertial.find('mass').get('value')) if inertial is not None else 0.0
            self.links[link.get('name')] = (mass, _numbers(inertial.find('origin') if inertial is not None else None, 'xyz'))
        self.joints = []  # name, parent, child, origin in the parent, axis or None; parents come before children
        for joint in robot.iter('joint'):
            origin = joint.find('origin')
            if np.any(_numbers(origin, 'rpy')):
                raise ValueError(f"joint {joint.get('name')}: origin: want no rotation, got rpy {origin.get('rpy')}")
            axis = _numbers(joint.find('axis'), 'xyz', '1 0 0') if joint.get('type') != 'fixed' else None
            self.joints.append((joint.get('name'), joint.find('parent').get('link'), joint.find('child').get('link'),
                                _numbers(origin, 'xyz'), axis))
        self.origins = {name: origin for name, _, _, origin, _ in self.joints}
        self.root = self.joints[0][1]
        self.mass = sum(mass for mass, _ in self.links.values())
        # Straight below the thighs while the body is in the middle.
        self.feet = {leg: self._hip(leg) + self.origins[leg + '_thigh'] * [0, 1, 0] - [0, 0, HEIGHT] for leg in LEGS}
        for foot in self.feet.values():
            foot[2] = 0.0

    def _hip(self, leg):
        return self.origins[leg + '_hip'] + [0, 0, HEIGHT]

    def leg_angles(self, leg, body):
        """Roll, pitch and knee angle that put the foot on its place; `body` is the horizontal shift of the body.

        Raises ValueError where the leg is too short.
        """
        x, y, z = self.feet[leg] - self._hip(leg) - [body[0], body[1], 0]
        aside = self.origins[leg + '_thigh'][1]
        thigh = -self.origins[leg + '_knee'][2]
        shank = -self.origins[leg + '_foot_frame'][2]
        down = -math.sqrt(max(y * y + z * z - aside * aside, 0.0))  # of the foot in the plane of the leg
        roll = math.atan2(z, y) - math.atan2(down, aside)
        cosine = (x * x + down * down - thigh * thigh - shank * shank) / (2 * thigh * shank)
        if not -1.0 <= cosine <= 1.0:
            raise ValueError(f'leg {leg} does not reach its foothold with the body at ({body[0]:.3f}, {body[1]:.3f})')
        knee = -math.acos(cosine)
        pitch = math.atan2(-x, -down) - math.atan2(shank * math.sin(knee), thigh + shank * math.cos(knee))
        return math.remainder(roll, math.tau), pitch, knee

    def posture(self, body):
        """Angles by joint name for a horizontal shift of the body."""
        angles = {}
        for leg in LEGS:
            angles.update(zip((leg + '_hip', leg + '_thigh', leg + '_knee'), self.leg_angles(leg, body)))
        return angles

    def frames(self, body, angles):
        """Rotation and position of every link in the world."""
        frames = {self.root: (np.eye(3), np.array([body[0], body[1], HEIGHT]))}
        for name, parent, child, origin, axis in self.joints:
            turn, place = frames[parent]
            frames[child] = (turn if axis is None else turn @ _rotation(axis, angles[name]), place + turn @ origin)
        return frames

    def center_of_mass(self, frames):
        """In the world."""
        total = np.zeros(3)
        for link, (mass, center) in self.links.items():
            turn, place = frames[link]
            total += mass * (place + turn @ center)
        return total / self.mass

    def sway_to(self, target):
        """Body shift, joint angles and link frames with the centre of mass at target = (x, y).

        Raises ValueError where the legs do not reach.
        """
        body = np.array(target, dtype=float)
        for _ in range(50):
            angles = self.posture(body)
            frames = self.frames(body, angles)
            miss = np.array(target) - self.center_of_mass(frames)[:2]
            if np.linalg.norm(miss) < 1e-6:
                return body, angles, frames
            body += miss  # the legs are light: the error shrinks to a third or less each time
        raise ValueError(f'no posture found for a centre of mass at ({target[0]:.3f}, {target[1]:.3f})')
