"""fencepost completion: what a shell needs to complete our command lines."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

from fencepost.cli import VERBS
from fencepost.cli.arguments import Argument, Option
from fencepost.cli.frame import Reply, parameters_of
from fencepost.errors import UsageError

Shell = Annotated[str, Argument(metavar="SHELL", help="bash, zsh or fish.")]
_BASH = """_fencepost() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options=""
  if [ "$COMP_CWORD" = 1 ]; then COMPREPLY=($(compgen -W "{verbs}" -- "$word")); return; fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  case "$word" in -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;; *) COMPREPLY=($(compgen -f -- "$word")) ;; esac
}}
complete -o filenames -F _fencepost fencepost
"""


def completion(shell: Shell) -> Reply:
    """Print the completion of command lines: `eval "$(fencepost completion bash)"`, or the same with zsh; for fish
    `fencepost completion fish | source`."""
    if shell not in ("bash", "zsh", "fish"):
        raise UsageError(f"there is no completion for {shell!r}; expected bash, zsh or fish")
    known = {verb.name: _flags(verb.name) for verb in VERBS}
    text = _fish(known) if shell == "fish" else _bash(known)
    if shell == "zsh":
        text = f"autoload -U +X bashcompinit && bashcompinit\n{text}"
    return Reply(text, {"shell": shell, "verbs": known})


def _flags(verb: str) -> list[str]:
    found, _ = parameters_of(getattr(import_module(f"fencepost.cli.{verb}"), verb))
    flags = [w for p in found if isinstance(p.details, Option) for w in (p.details.flag, p.details.off) if w]
    return [*flags, "--help"]


def _bash(known: dict[str, list[str]]) -> str:
    cases = "\n".join(f'    {verb}) options="{" ".join(flags)}" ;;' for verb, flags in known.items())
    return _BASH.format(verbs=" ".join([*known, "help"]), cases=cases)


def _fish(known: dict[str, list[str]]) -> str:
    lines = ["complete -c fencepost -n __fish_use_subcommand -f -a '" + " ".join([*known, "help"]) + "'"]
    for verb, flags in known.items():
        lines += [f"complete -c fencepost -n '__fish_seen_subcommand_from {verb}' -l {f.lstrip('-')}" for f in flags]
    return "\n".join(lines) + "\n"
