"""Modules beside the student's file, imported from memory; no file system is asked."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

from grader.worker.source_map import SourceMap


class MemoryFinder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds and loads modules whose sources were handed over; names with dots lie in packages."""

    def __init__(self, sources: dict[str, str], source_map: SourceMap) -> None:
        self._sources = sources
        self._map = source_map

    def add(self, name: str, source: str) -> None:
        self._sources[name] = source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package = self.is_package(fullname)
        if fullname not in self._sources and not package:
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=self._file(fullname), is_package=package)
        spec.has_location = True  # gives the module a plausible __file__
        return spec

    def is_package(self, fullname: str) -> bool:
        return any(name.startswith(fullname + ".") for name in self._sources)

    def get_source(self, fullname: str) -> str:
        return self._sources.get(fullname, "")

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        source, file = self.get_source(name), self._file(name)
        if file not in self._map.files():
            self._map.add(file, source, 1, None)
            self._map.publish()
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)

    def _file(self, fullname: str) -> str:
        return fullname.replace(".", "/") + ("/__init__.py" if self.is_package(fullname) else ".py")


class OwnLoader(importlib.abc.InspectLoader):
    """Gives the student's module a loader that still knows its source after ``linecache.clearcache()``."""

    def __init__(self, file: str, source_map: SourceMap) -> None:
        self._file = file
        self._map = source_map

    def get_source(self, fullname: str) -> str:
        return self._map.source(self._file) or ""


def install(finder: MemoryFinder) -> None:
    """Ask ``finder`` first, as Python asks a script's own folder first."""
    sys.meta_path[:] = [other for other in sys.meta_path if not isinstance(other, MemoryFinder)]
    sys.meta_path.insert(0, finder)


def new_module(name: str, file: str, source_map: SourceMap) -> ModuleType:
    """An empty module for the student's own code, registered under ``name``."""
    loader = OwnLoader(file, source_map)
    spec = importlib.machinery.ModuleSpec(name, loader, origin=file)
    spec.has_location = True
    module = ModuleType(name)
    module.__file__ = file
    module.__loader__ = loader
    module.__spec__ = spec
    module.__package__ = ""
    sys.modules[name] = module
    return module
