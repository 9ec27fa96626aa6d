"""The workflow in the docs is one, and its commands are ours."""

from __future__ import annotations

import argparse
import re
import shlex

import yaml

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.commands import check

DOC = PROJECT_ROOT / "docs" / "check.md"


def test_the_workflow_checks_cards() -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)
    workflow = yaml.safe_load(block)
    # YAML 1.1 reads the key "on" as true.
    assert set(workflow[True]) == {"push", "pull_request", "schedule"}
    steps = workflow["jobs"]["check"]["steps"]
    lines = [line for step in steps for line in step.get("run", "").splitlines()]
    commands = [shlex.split(line) for line in lines if line.startswith("mtpbench ")]
    assert len(commands) == 2
    parser = argparse.ArgumentParser()
    check.add_arguments(parser)
    for command in commands:
        assert command[1] == "check"
        assert parser.parse_args(command[2:]).campaign == "$CAMPAIGN"
    assert {"$MTPBENCH", "$CAMPAIGN", "$MODEL"} <= set(re.findall(r"\$[A-Z]+", block))
    assert set(workflow["env"]) == {"MTPBENCH", "CAMPAIGN", "MODEL"}
