# SPDX-License-Identifier: Apache-2.0
"""The site that `./run docs` has built, in headless Chromium: about ten pages at two widths, light and dark, and the search. Weekly, after the build."""

import shutil
from pathlib import Path

import pytest

import browser

SITE = Path(__file__).resolve().parents[2] / "out" / "docs"
FIGURE = SITE / "_images" / "brunel_2000.png"  # ./run docs --quick leaves it out

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser.CHROMIUM is None, reason=browser.NONE),
    pytest.mark.skipif(not FIGURE.exists(), reason="the site is not built with its pictures: ./run docs"),
]

PAGES = {  # page -> least number of its pictures
    "index": 0,
    "start": 0,
    "tutorials/first_network": 2,
    "howto/tour": 1,
    "howto/nest_tables": 0,
    "coming_from/brian2": 0,
    "concepts/architecture": 5,
    "reference/models/neurons/iaf_psc_alpha": 1,
    "reference/models/synapses/stdp_synapse": 1,
    "reference/api/network": 0,
    "gallery/index": 30,
    "gallery/brunel_2000": 1,
    "benchmarks/ordinary_networks": 0,
}

# Contrast as WCAG 2 defines it. The ground of a text is that of the nearest ancestor that has one.
PROBE = """
const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
const luminance = colour => numbers(colour).slice(0, 3).map(value => value / 255)
  .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
  .reduce((sum, value, k) => sum + value * [0.2126, 0.7152, 0.0722][k], 0);
const ground = element => {
  for (; element; element = element.parentElement) {
    const colour = getComputedStyle(element).backgroundColor, parts = numbers(colour);
    if (parts.length < 4 || parts[3] > 0.5) return colour;
  }
  return 'rgb(255, 255, 255)';
};
const contrast = element => {
  const [low, high] = [luminance(getComputedStyle(element).color), luminance(ground(element))].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const own = element => [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
const texts = [...document.querySelectorAll('article :is(h1, h2, h3, p, li, td, th, a, em, strong, code, mi, mtext, .sd-card-title)')]
  .filter(element => own(element) && !element.closest('.highlight, .headerlink, .sd-stretched-link') && element.getClientRects().length);
const pale = texts.filter(element => contrast(element) < 4.5);
found.pale = pale.slice(0, 5).map(element => [element.tagName, element.textContent.slice(0, 40), contrast(element)]);
found.texts = texts.length;
found.width = [document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth];
// The box of the whole page scrolls as well, which hides an element that is too wide: only boxes within the article may scroll.
const scrolls = element => {
  for (element = element.parentElement; element && element.tagName !== 'ARTICLE'; element = element.parentElement)
    if (getComputedStyle(element).overflowX !== 'visible') return true;
  return false;
};
found.wide = [...document.querySelectorAll('article *')]
  .filter(element => element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element))
  .slice(0, 5).map(element => [element.tagName, element.textContent.slice(0, 40)]);
found.ground = luminance(getComputedStyle(document.body).backgroundColor);
const pictures = [...document.querySelectorAll('article img')];
found.pictures = pictures.length;
found.missing = pictures.filter(picture => !(picture.complete && picture.naturalWidth > 0)).map(picture => picture.getAttribute('src'));
const formulas = [...document.querySelectorAll('div.formula math')], box = element => element.getBoundingClientRect();
found.formulas = formulas.length;
found.fractions = formulas.flatMap(formula => [...formula.querySelectorAll('mfrac')])
  .map(fraction => box(fraction.lastElementChild).top - box(fraction.firstElementChild).bottom);
"""

SEARCH = """
const results = () => [...document.querySelectorAll('#search-results li a')].map(link => link.getAttribute('href'));
for (let i = 0; i < 100 && !results().length; i++) await new Promise(next => setTimeout(next, 50));
found.results = results();
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A copy, into which the probed pages go."""
    return shutil.copytree(SITE, tmp_path_factory.mktemp("site") / "docs")


@pytest.mark.parametrize("options", [(), ("--blink-settings=preferredColorScheme=0",)], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_it_should_be(site, name, width, options):
    found = browser.looked_at(browser.probed(site / f"{name}.html", PROBE), *options, width=width)
    assert found["log"] == []
    assert found["missing"] == []
    assert found["pictures"] >= PAGES[name]
    page, body, inner = found["width"]
    assert inner == width
    assert max(page, body) <= width
    assert found["wide"] == []  # tables, formulas and code scroll by themselves
    assert found["ground"] < 0.05 if options else found["ground"] > 0.9
    assert found["texts"] > 5
    assert found["pale"] == []
    if "/models/" in name:
        assert found["formulas"] >= 3
        assert len(found["fractions"]) >= 2
        assert min(found["fractions"]) >= 0  # numerators stand above denominators


@pytest.mark.parametrize("asked", ["iaf_psc_alpha", "fixed_indegree"])
def test_the_search_finds_a_name(site, asked):
    found = browser.looked_at(browser.probed(site / "search.html", SEARCH), query=f"?q={asked}")
    assert found["log"] == []
    assert any(f"/{asked}.html" in result for result in found["results"])
