"""What the package carries, without ROS."""

from pathlib import Path
import re

import pytest
import yaml

HERE = Path(__file__).resolve().parent.parent
REPOSITORY = HERE.parents[2]


@pytest.mark.parametrize('name', ['demo.yaml', 'stability_server.yaml'])
def test_parameters_are_for_every_name_and_namespace(name):
    assert list(yaml.safe_load((HERE / 'config' / name).read_text())) == ['/**']


def test_nothing_is_taken_from_outside_of_a_package():
    for package in HERE.parent.iterdir():
        for line in (package / 'CMakeLists.txt').read_text().splitlines():
            assert not re.search(r'install\(.*\.\./', line), (package.name, line)


@pytest.mark.skipif(not (REPOSITORY / 'urdf').is_dir(), reason='a package without its repository')
@pytest.mark.parametrize('name', ['box.urdf', 'quadruped.urdf'])
def test_robots_are_those_of_the_repository(name):
    assert (HERE / 'urdf' / name).read_bytes() == (REPOSITORY / 'urdf' / name).read_bytes()


@pytest.mark.skipif(not (REPOSITORY / 'launch').is_dir(), reason='a package without its repository')
def test_the_front_of_the_repository_shows_the_launch_files():
    for file in (HERE / 'launch').iterdir():
        assert (REPOSITORY / 'launch' / file.name).resolve() == file


def test_versions_and_licenses_agree():
    versions = {re.search('<version>(.*)</version>', (package / 'package.xml').read_text()).group(1)
                for package in HERE.parent.iterdir()}
    assert len(versions) == 1
