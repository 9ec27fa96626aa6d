"""A headless Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1100,900",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")


def found(*names: str) -> str:
    path = next((path for name in names if (path := shutil.which(name))), None)
    assert path is not None, f"none of {', '.join(names)} is installed; .ci/run installs it"
    return path


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """The browser, which keeps its console and goes to no network of its own."""
    options = webdriver.ChromeOptions()
    options.binary_location = found(*NAMES)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(found("chromedriver")))
    driver.set_page_load_timeout(30)
    yield driver
    driver.quit()


class Screen:
    """A page in the browser, at a size and in a colour scheme.

    With `again`, one that is there already is not loaded anew: it is folded as it was and scrolled
    to its top.
    """

    def __init__(self, driver: webdriver.Chrome, file: Path, *, again: bool = False) -> None:
        self.driver = driver
        driver.get_log("browser")
        self.look()
        known = "return document.documentElement.dataset.clean === 'yes' ? location.href : ''"
        if again and self.run(known) == file.as_uri():
            self.run("for (const it of document.querySelectorAll('details')) it.open = it.was;")
            self.run("scrollTo(0, 0)")
            return
        driver.get(file.as_uri())
        self.run("for (const it of document.querySelectorAll('details')) it.was = it.open;")
        self.run("document.documentElement.dataset.clean = 'yes'")

    def spoil(self) -> None:
        """The next one that looks at this page loads it anew."""
        self.run("document.documentElement.dataset.clean = 'no'")

    def look(self, width: int = 1100, scheme: str = "light", media: str = "screen") -> Screen:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        return self

    def run(self, script: str, *arguments: object) -> object:
        return self.driver.execute_script(script, *arguments)
