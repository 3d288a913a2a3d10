"""Loading a strategy by its name, from a strategy tree, or from a Python file with ``choose(position, rng)``.

The version of a file follows from its text and, of a Python file, from that of the siblings that it imports: modules
``name.py`` and packages ``name/`` beside it. Imports are found by reading the text, so that an import inside a function
counts too, and nothing is executed.
"""

import ast
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from hashlib import sha256
from importlib import invalidate_caches
from importlib.machinery import SourceFileLoader
from inspect import iscoroutinefunction, isfunction, ismethod
from pathlib import Path
from random import Random
from types import ModuleType
from typing import ClassVar, Final

from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import Strategy, StrategyError, describe_exception
from evilpegs_clients.strategies.tree_strategy import TREE_ENDINGS, TreeStrategy, tree_text
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError, quoted, require, to_flag, wrong_argument
from evilpegs_game.live.position import Position
from evilpegs_game.trees.tree import MAX_TREE_CHARACTERS, Tree, parse_tree
from evilpegs_protocol.text_files import NotTextError, decode_text

FILE_ENDINGS: Final = (".py", *TREE_ENDINGS)


@dataclass(frozen=True, slots=True)
class SiblingModule:
    """A module beside a strategy file, and its source."""

    path: str  # relative to the folder of both, such as `name.py` or `name/part.py`
    source: bytes

    @property
    def name(self) -> str:
        """The name under which the module is imported; for a module in a package, the name of the package."""
        return self.path.partition("/")[0].removesuffix(".py")


def find_siblings(path: Path) -> tuple[SiblingModule, ...]:
    """Return the siblings that a strategy file imports, directly or through others, ordered by path.

    Of a package, all modules are returned. What is no Python file, or cannot be read or parsed, has none.
    """
    path = path.resolve()
    folder, sources, waiting = path.parent, dict[Path, bytes](), [path]
    while waiting:
        for name in _imported_names(_read(waiting.pop())):
            for module in _modules(folder, name):
                if module not in sources and module != path:
                    sources[module] = _read(module)
                    waiting.append(module)
    siblings = (SiblingModule(module.relative_to(folder).as_posix(), source) for module, source in sources.items())
    return tuple(sorted(siblings, key=lambda sibling: sibling.path))


def source_version(source: bytes, siblings: tuple[SiblingModule, ...] = ()) -> str:
    """Return the version of a strategy file, the beginning of a SHA-256 over its bytes and its siblings.

    For a file without siblings, it is the beginning of what ``sha256sum`` prints.
    """
    digest = sha256(source)
    for sibling in siblings:
        digest.update(f"\0{sibling.path}\0".encode() + sibling.source)
    return digest.hexdigest()[:8]


def _modules(folder: Path, name: str) -> Iterator[Path]:
    if (folder / name / "__init__.py").is_file():
        yield from sorted((folder / name).rglob("*.py"))
    elif (folder / f"{name}.py").is_file():
        yield folder / f"{name}.py"


def _imported_names(source: bytes) -> set[str]:
    try:
        nodes = list(ast.walk(ast.parse(source)))  # decodes the bytes as an import does
    except (SyntaxError, ValueError, RecursionError):
        return set()
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    from_modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in plain | from_modules if name} - sys.stdlib_module_names


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


MODULE_PREFIX: Final = "evilpegs_strategy_"  # begins the module name under which each strategy file is imported
_STANDARD_LIBRARY: Final = frozenset(map(str, (Path(os.__file__).parent, Path(os.__file__).parent / "lib-dynload")))
# of an imported strategy file: maps the names of its siblings to its folder
_SIBLINGS: Final = "__evilpegs_siblings__"


ChooseFunction = Callable[[Position, Random], Code]  # a strategy as a plain function `choose(position, rng)`

StrategyLike = str | Path | Tree | Strategy | ChooseFunction


@dataclass(frozen=True, slots=True)
class FunctionStrategy:
    """A strategy that calls a function ``choose(position, rng)``."""

    name: str
    function: ChooseFunction
    uses_rng: ClassVar[bool] = True

    def choose(self, position: Position, rng: Random) -> Code:
        """Return the function's guess, which is not checked."""
        return self.function(position, rng)


@dataclass(frozen=True, slots=True)
class FileStrategy(FunctionStrategy):
    """A strategy that calls the function ``choose(position, rng)`` of a Python file."""

    path: Path
    version: str
    """Eight hexadecimal digits that change with the text of the file and of its siblings."""

    def choose(self, position: Position, rng: Random) -> Code:
        """Return the guess that the file's function chooses; the guess is not checked.

        Raises:
            GameError: the function raised one, which is passed on unchanged.
            StrategyError: the function raised any other exception, or tried to exit.
        """
        try:
            return self.function(position, rng)
        except GameError:
            raise
        except (Exception, SystemExit, GeneratorExit) as error:
            raise StrategyError(
                f"strategy {self.name} failed at turn {position.turn}: {_describe(error, self.path)}"
            ) from error


def to_strategy(strategy: StrategyLike, candidates_only: bool = False) -> Strategy:
    """Return ``strategy``, loaded if it is a name or the path of a file, or wrapped if it is a function or a tree."""
    if isinstance(strategy, str | Path):
        return load_strategy(strategy, candidates_only)
    if to_flag("candidates_only", candidates_only):
        raise StrategyError(
            "candidates_only is for the name of a built-in strategy; a strategy of your own decides by itself"
        )
    if isinstance(strategy, Tree):
        return TreeStrategy(strategy)
    if isinstance(strategy, Strategy) and not isinstance(strategy, type):
        return strategy
    if isfunction(strategy) or ismethod(strategy) or isinstance(strategy, partial):
        return FunctionStrategy(getattr(strategy, "__name__", "strategy"), strategy)
    wanted = "a name, the path of a .py or .tree file, a Tree, a strategy object or choose(position, rng)"
    raise wrong_argument("a strategy", strategy, wanted)


def load_strategy(name_or_path: str | Path, candidates_only: bool = False) -> Strategy:
    """Return the built-in strategy with the given name, or the strategy in the file at the given path.

    With ``candidates_only``, a built-in strategy guesses only codes that could be the secret. A file that ends in
    ``.tree`` or ``.tree.gz`` is a strategy tree. A ``.py`` file is executed, and its folder comes into ``sys.path``,
    after the standard library, so that the file can import modules beside it.

    Raises:
        StrategyError: There is no such name or file, the file cannot be loaded or has no function ``choose``, or
            ``candidates_only`` is set for a file, which decides by itself what to guess.

    >>> from random import Random
    >>> import evilpegs
    >>> strategy = evilpegs.load_strategy("minimax")
    >>> strategy.choose(evilpegs.Position(evilpegs.Rules(4, 6)), Random(0))
    (0, 0, 1, 1)
    """
    require(name_or_path, str | Path, "the name of a strategy", "a name, or the path of a file")
    name_or_path = str(name_or_path)
    if name_or_path in STRATEGIES:
        return STRATEGIES[name_or_path](to_flag("candidates_only", candidates_only))
    if not name_or_path.endswith(FILE_ENDINGS):
        if os.path.isfile(name_or_path):  # noqa: PTH113 - `Path.is_file` fails for a text that can be no path
            raise StrategyError(
                f"{name_or_path[:200]} is no .py or .tree file; if it is a program, write: --exec {name_or_path[:200]}"
            )
        if os.path.isdir(name_or_path):  # noqa: PTH112 - as above
            raise StrategyError(f"{name_or_path[:200]} is a directory; name a file in it")
        raise StrategyError(_unknown_text(name_or_path))
    if candidates_only:
        raise StrategyError(f"candidates only is for the strategies with a name; {name_or_path} decides by itself")
    path = Path(name_or_path)
    if path.is_dir():
        raise StrategyError(f"{path} is a directory; name a file")
    is_tree = name_or_path.endswith(TREE_ENDINGS)
    if not path.is_file():
        how = "evilpegs tree STRATEGY --out" if is_tree else "evilpegs bot --new"
        raise StrategyError(f"there is no strategy file {path}; check the name, or write one with: {how} {path}")
    return _from_tree(path) if is_tree else _from_file(path)


def _unknown_text(name: str) -> str:
    close = get_close_matches(name[:40].lower(), STRATEGIES, n=1)
    others = ", ".join(other for other in STRATEGIES if other not in close)
    hint = f"did you mean {close[0]}? There are also {others}, and you may name" if close else f"take {others},"
    return f"no strategy {quoted(name)}; {hint} a .py file with choose(position, rng) or a .tree file"


def read_source(strategy: str) -> bytes | None:
    """Return the bytes of a strategy file, those of the text of a tree that is compressed.

    Returns None for a built-in strategy, or a missing file, which loading reports.
    """
    if not strategy.endswith(FILE_ENDINGS) or not Path(strategy).is_file():
        return None
    try:
        if strategy.endswith(".py"):
            return Path(strategy).read_bytes()
        with Path(strategy).open("rb") as file:
            return tree_text(file.read(MAX_TREE_CHARACTERS + 1)).encode()
    except (OSError, GameError) as error:
        raise StrategyError(f"{strategy} cannot be read: {error}") from error


def file_stem(name: str) -> str:
    """Return the name of a strategy without the ending of a file."""
    return re.sub(r"\.(py|tree|tree\.gz)$", "", name)


def _from_tree(path: Path) -> TreeStrategy:
    source = read_source(str(path)) or b""
    try:
        return TreeStrategy(parse_tree(source.decode()), path.name, source_version(source))
    except GameError as error:
        raise StrategyError(f"{path}: {error}") from None


def _from_file(path: Path) -> FileStrategy:
    siblings = find_siblings(path)
    version = source_version(path.read_bytes(), siblings)
    function = getattr(_import(path, siblings), "choose", None)
    if not callable(function):
        raise StrategyError(f"{path} has no function choose(position, rng); define it as evilpegs bot --new FILE does")
    if iscoroutinefunction(function):
        raise StrategyError(f"choose in {path} is async; write it as a plain function: def choose(position, rng)")
    return FileStrategy(path.name, function, path, version)


def _import(path: Path, siblings: Iterable[SiblingModule]) -> ModuleType:
    name = f"{MODULE_PREFIX}{path.stem}"
    for top, home in getattr(sys.modules.get(name), _SIBLINGS, {}).items():
        if _home(top) == home:
            _forget(top)
    _prefer_folder(path.resolve().parent, siblings)
    module = sys.modules[name] = ModuleType(name)  # dataclasses look up their module there
    module.__file__ = str(path.resolve())
    setattr(module, _SIBLINGS, {sibling.name: path.resolve().parent for sibling in siblings})
    try:
        SourceFileLoader(name, str(path)).exec_module(module)
    except (Exception, SystemExit) as error:
        if isinstance(error, SyntaxError | ValueError) and re.search(r"null byte|'utf-8' codec|Non-UTF-8", str(error)):
            _check_text(path, siblings)
        raise StrategyError(f"{path} cannot be loaded: {_describe(error, path)}") from error
    return module


def _check_text(path: Path, siblings: Iterable[SiblingModule]) -> None:
    sources = {path: path.read_bytes()} | {path.parent / sibling.path: sibling.source for sibling in siblings}
    for file, source in sources.items():
        try:
            decode_text(source)
        except NotTextError as error:
            raise StrategyError(f"{file} cannot be loaded: {error}") from error


def _forget(top: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == top]:
        del sys.modules[name]


def _prefer_folder(folder: Path, siblings: Iterable[SiblingModule]) -> None:
    # the siblings are imported from there, and again: the files may have changed
    entries = [entry for entry in sys.path if entry != str(folder)]
    # processes inherit the path: a file random.py before the standard library would be imported by all that follows
    standard = [number for number, entry in enumerate(entries, 1) if entry in _STANDARD_LIBRARY]
    # the game loads these late, and a file of this name may be there
    is_last = any((folder / name).exists() for name in ("llvmlite.py", "numba.py"))
    place = len(entries) if is_last else max(standard, default=0)
    sys.path[:] = [*entries[:place], str(folder), *entries[place:]]
    invalidate_caches()
    loaded = [module for name, module in sys.modules.items() if name.startswith(MODULE_PREFIX)]
    folders = {folder, *(Path(module.__file__).parent for module in loaded if module.__file__)}
    stale = {top for sibling in siblings if _home(top := sibling.name) in folders}
    for top in stale:
        _forget(top)


def _home(name: str) -> Path | None:
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None:
        return None
    return Path(file).parent.parent if Path(file).stem == "__init__" else Path(file).parent


def _describe(error: BaseException, path: Path) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == path]
    text = describe_exception(error)[:200].rstrip(": ")
    return f"{text} (line {lines[-1]})" if lines else text
