"""Writes recordings for the tests of bag_check: MCAP as rosbag2 does, with definitions from the installed .msg files."""

import os
from pathlib import Path
import re

BUILTIN = {'bool', 'byte', 'char', 'float32', 'float64', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64',
           'uint64', 'string', 'wstring'}


def definition(kind):
    """Text of "package/msg/Name" and of everything in it."""
    def text_of(name):
        package, message = name.split('/')
        for prefix in os.environ['AMENT_PREFIX_PATH'].split(':'):
            file = Path(prefix) / 'share' / package / 'msg' / (message + '.msg')
            if file.exists():
                return file.read_text()
        raise FileNotFoundError(name)
    waiting, texts = [kind.replace('/msg/', '/')], {}
    while waiting:
        name = waiting.pop(0)
        if name in texts:
            continue
        texts[name] = text_of(name)
        for line in texts[name].splitlines():
            words = line.split('#')[0].split()
            inner = re.match(r'[A-Za-z0-9_/]+', words[0]).group() if words and '=' not in words[1] else 'bool'
            if inner not in BUILTIN:
                waiting.append(inner if '/' in inner else name.split('/')[0] + '/' + inner)
    first, *others = texts.items()
    return first[1] + ''.join(f'\n{"=" * 80}\nMSG: {name}\n{text}' for name, text in others)


class Recorder:
    def __init__(self, file):
        from mcap_ros2.writer import Writer
        self.stream = open(file, 'wb')
        self.writer = Writer(self.stream)
        self.schemas = {}

    def write(self, topic, kind, message, time):
        """A message as a dictionary, at a time in seconds."""
        if kind not in self.schemas:
            self.schemas[kind] = self.writer.register_msgdef(kind, definition(kind))
        self.writer.write_message(topic, self.schemas[kind], message, int(time * 1e9))

    def close(self):
        self.writer.finish()
        self.stream.close()
