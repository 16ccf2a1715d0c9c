"""The live view and the exported file in headless Chromium; skipped where there is none (Debian: apt-get install
chromium chromium-driver). STICTION_SCREENSHOTS=FOLDER keeps what it looked like."""

import io
import json
import os
import pathlib
import shutil
import time

import numpy as np
import pytest

import stiction

pytest.importorskip("viser", reason="the extra stiction[view] is not installed")
selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from PIL import Image  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

from stiction.view import View  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Chromium and chromedriver are not installed")
WAIT = 60.0  # s, for a machine that is busy; nothing is measured


@pytest.fixture
def browser():
    options = selenium.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,800",
                     "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = selenium.Chrome(options=options, service=selenium.ChromeService(DRIVER))
    yield driver
    driver.quit()


def until(condition, what):
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.2)
    raise AssertionError(f"not within {WAIT} s: {what}")


def pixels(browser, name=""):
    image = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    folder = os.environ.get("STICTION_SCREENSHOTS")
    if folder and name:
        image.save(pathlib.Path(folder) / name, optimize=True)
    return np.asarray(image, dtype=int)


def share_that_differs(a, b):
    """In the middle, beside the panel on the right, words and notes on the left, above the player."""
    height, width = a.shape[:2]
    part = np.abs(a - b)[: 9 * height // 10, 3 * width // 10 : 2 * width // 3]
    return float(np.mean(part.max(axis=2) > 24))


def errors(browser):
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def text_of(browser):
    return browser.find_element(By.TAG_NAME, "body").text


def slider_thumb(browser, label):
    """The thumb of the slider beside whose label this is."""
    return browser.execute_script(
        """
        const labels = [...document.querySelectorAll('label')].filter(l => l.textContent.trim() === arguments[0]);
        for (let node = labels[0]; node; node = node.parentElement) {
          const thumb = node.querySelector('[role=slider]');
          if (thumb) return thumb;
        }
        return null;
        """,
        label,
    )


def test_slider_turns_the_verdict(browser, root):
    """tan 20 degrees is 0.9099 of mu 0.4: 0.91 holds, 0.90 does not."""
    with View(root / "scenarios/box_on_slope.yaml", port=0) as view:
        browser.get(view.url)
        until(lambda: "(holds)" in text_of(browser), "the verdict")
        thumb = until(lambda: slider_thumb(browser, "every mu, times"), "the slider of friction")
        until(lambda: browser.find_elements(By.TAG_NAME, "canvas"), "the canvas")
        for handle in view.stage._links.values():  # control: the robot is what makes the difference
            handle.visible = False
        time.sleep(2.0)
        without = pixels(browser)
        for handle in view.stage._links.values():
            handle.visible = True
        until(lambda: share_that_differs(without, pixels(browser)) > 0.01, "the box")
        for _ in range(9):
            thumb.send_keys(Keys.ARROW_LEFT)
        until(lambda: view.answer.changes, "what the slider changes")
        until(lambda: view.sliders["friction"].value == pytest.approx(0.91), "0.91")
        assert view.wait().report.verdict == "holds" and "(holds)" in text_of(browser)
        thumb.send_keys(Keys.ARROW_LEFT)
        until(lambda: "(fails)" in text_of(browser), "the other verdict")
        assert view.sliders["friction"].value == pytest.approx(0.90)
        assert view.wait().changes["contacts.bottom.mu"] == pytest.approx(0.36)
        until(lambda: view.stage.moves, "the motion")
        for note in browser.find_elements(By.CSS_SELECTOR, ".mantine-Notification-closeButton"):
            note.click()  # about software rendering
        time.sleep(1.5)
        pixels(browser, "view.png")
        assert errors(browser) == []


def test_contact_is_clicked(browser, root):
    """In the middle of the canvas is the cone of a corner in front."""
    with View(root / "scenarios/box_on_slope.yaml", port=0) as view:
        browser.get(view.url)
        until(lambda: "click a friction cone" in text_of(browser), "the panel")
        canvas = until(lambda: browser.find_elements(By.TAG_NAME, "canvas"), "the canvas")[0]
        (client,) = until(lambda: list(view.server.get_clients().values()), "the client")
        cone = view.answer.picture["cones"][1]
        inside = cone["apex"] + 0.02 * cone["axis"]
        client.camera.position = tuple(inside + [0.2, -0.4, 0.1])
        client.camera.look_at = tuple(inside)  # the middle of the canvas; not before: it would move along
        time.sleep(2.0)
        actions = selenium.ActionChains(browser)
        actions.move_to_element(canvas).pause(0.5).click().perform()
        until(lambda: "friction in use" in text_of(browser), "numbers of the contact")
        assert "bottom" in text_of(browser) and errors(browser) == []


def test_exported_file_opens_without_a_network(browser, root, tmp_path):
    file = tmp_path / "box.html"
    stiction.check(root / "scenarios/box_on_steep_slope.yaml").show().save(file)
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions",
                            {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
    browser.get(file.as_uri())
    until(lambda: browser.find_elements(By.TAG_NAME, "canvas"), "the canvas")
    assert "FAILS" in text_of(browser)
    blank = np.full_like(pixels(browser), 255)
    until(lambda: share_that_differs(pixels(browser), blank) > 0.05, "the box")
    first = pixels(browser)
    until(lambda: share_that_differs(pixels(browser), first) > 0.002, "the motion")
    asked = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
    assert urls and all(url.startswith(("file:", "data:", "blob:")) for url in urls), urls
    assert errors(browser) == []
