# SPDX-License-Identifier: Apache-2.0
"""Generated pages of the site: every model with all its parameters, every public name, every command; equations use names of the models."""

import json
import re

import pytest
from tools.site import api, breaks, commands, docstrings, equations, gallery, links, models, notebooks, pages, pictures

import neuropil as npl


@pytest.fixture(scope="module")
def model_pages(tmp_path_factory):
    return models.pages(tmp_path_factory.mktemp("pages"), pictures_wanted=False)


ENTRIES = [pytest.param(kind, entry, id=f"{kind}-{entry.name}") for kind in models.KINDS for entry in models.built_in(kind)]


def test_every_model_is_listed_and_has_a_page_with_all_its_values(model_pages):
    for kind, known in (("neurons", npl.models()), ("devices", npl.devices()), ("synapses", npl.synapses()), ("rules", npl.rules())):
        listed = model_pages[f"reference/models/{kind}.md"]
        for name, entry in known.items():
            if entry.digest or name in models.LEFT_OUT:
                continue
            text = model_pages[f"reference/models/{kind}/{name}.md"]
            assert f"[{name}](" in listed
            rows = {row.split("`")[1]: row for row in text.splitlines() if row.startswith("| `")}
            fields = {**entry.parameters, **entry.vectors, **entry.recorded, **entry.state}
            assert {field for field in fields if not field.startswith("_")} == set(rows)
            for field in entry.parameters.values():
                cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", rows[field.name])[1:-1]]
                assert cells[1] == models.default(field)
                assert cells[2] == models.cell(field.unit)
            assert all(f"`{receptor}`" in text for receptor in entry.receptors)


def test_a_page_shows_default_unit_bound_and_name_in_nest():
    text = models.page(npl.describe("iaf_psc_exp"), "neurons", "")
    assert "| `C_m` | 250 | pF | Membrane capacitance | > 0 |" in text
    assert "**In NEST 3.10:** `iaf_psc_exp`" in text
    assert r"\frac{\mathrm{d}V_{\text{m}}}{\mathrm{d}t}" in text
    assert "no such model" in models.page(npl.describe("calcium_synapse"), "synapses", "")
    assert "-∞" in models.page(npl.describe("iaf_psc_delta"), "neurons", "")


def test_equations_use_names_of_their_models():
    """A name that is misspelt, or that a model has lost, is found here."""
    strange = {}
    for name in equations.entries():
        if name.startswith("_"):
            continue
        entry, described = npl.describe(name), equations.described(name)
        known = {*entry.parameters, *entry.vectors, *entry.state, *entry.recorded, *equations.COMMON, *described.names}
        if found := {of for line in described.lines for of in equations.names(line)} - known:
            strange[name] = found
    assert strange == {}


def test_equations_as_latex():
    line = equations.to_line("after a spike: w = w - lambda*(a + b)**2/(tau_syn_ex - 1)")
    assert equations.names(line) == {"w", "lambda", "a", "b", "tau_syn_ex"}
    right = r"w - \frac{\lambda\,\left(a + b\right)^{2}}{\tau_{\text{syn,ex}} - 1}"
    assert equations.line_latex(line) == rf"\text{{after a spike:}}\quad w \leftarrow {right}"
    assert equations.line_latex(equations.to_line("u += 2*v")) == r"u \leftarrow u + 2\,v"
    assert equations.line_latex(equations.to_line("g += -weight")).endswith(r"\leftarrow g - \mathrm{weight}")
    assert (
        equations.line_latex(equations.to_line("sent: weight*r*tau_syn")) == r"\text{sent:}\quad \mathrm{weight}\cdot r\,\tau_{\text{syn}}"
    )
    assert equations.line_latex(equations.to_line("dx/dt = -x/tau")) == r"\frac{\mathrm{d}x}{\mathrm{d}t} = -\frac{x}{\tau}"


def test_long_texts_stand_above_their_equations():
    short, long = (
        equations.to_line("then: x = y"),
        equations.to_line("with flag_of_it = 1 and t_0 < 2, in each step of all the intervals: x = y"),
    )
    assert equations.written(short) == "```{math}\n\\text{then:}\\quad x = y\n```\n"
    when = r"with `flag_of_it` = 1 and $t_{\text{0}}$ \< 2, in each step of all the intervals:"
    assert equations.written(long) == f"{{.when}}\n{when}\n\n```{{math}}\nx = y\n```\n"


def test_every_model_has_a_picture_or_a_reason():
    for name in pictures.WITHOUT:
        npl.describe(name)
    without = {entry.name for entry in models.built_in("devices")} - set(pictures.EXAMPLES)
    assert without == set()
    assert {entry.name for entry in models.built_in("rules")} - set(pictures.rule_examples()) == {"tripartite"}


@pytest.mark.parametrize(
    ("kind", "name"), [("neurons", "iaf_psc_exp"), ("devices", "dc_generator"), ("synapses", "stdp_synapse"), ("rules", "one_to_one")]
)
def test_pictures_are_drawn_once(tmp_path, kind, name):
    path = tmp_path / f"{name}.svg"
    caption = pictures.draw(npl.describe(name), kind, path)
    drawn = path.read_bytes()
    assert caption
    assert b"<svg" in drawn
    path.write_bytes(b"kept")
    assert pictures.draw(npl.describe(name), kind, path) == caption
    assert path.read_bytes() == b"kept"


def test_every_public_name_is_on_a_page():
    assert api.missing() == set()
    assert {name for name in api.documented() if not hasattr(npl, name)} == set()


def test_every_command_has_a_section_with_its_options():
    text = commands.pages()["reference/command_line.md"]
    for words, command in commands.all_commands().items():
        section = text.partition(f"## neuropil {words}\n")[2].partition("\n## ")[0]
        assert section
        for parameter in command.params:
            assert f"`{parameter.opts[0]}`" in section or parameter.param_type_name == "argument" or parameter.hidden


def test_docstrings_become_lists_and_code():
    lines = [
        "Draws k*k values of `Network`.",
        "",
        "lambda_, k : numbers",
        "p : or",
        "    nothing",
        "More.",
        "",
        "    net.run(1.0)",
        "    spikes.plot()",
    ]
    assert docstrings.to_rst(lines) == [
        "Draws k\\*k values of ``Network``.",
        "",
        "- ``lambda_, k``: numbers",
        "- ``p``: or",
        "  nothing",
        "",
        "More.",
        "",
        ".. code-block:: python",
        "",
        "    net.run(1.0)",
        "    spikes.plot()",
    ]
    assert docstrings.to_rst(["Parameters", "------", "name", "    Of it."]) == ["**Parameters**", "", "- ``name``:", "  Of it."]


def test_links_out_of_the_docs_lead_to_the_repository():
    page = pages.DOCS / "howto" / "tour.md"
    text = pages.with_links(page, "[a](../../examples/tour.py) [b](mpi.md#x) [c](../adr) `[d](../../x)`\n```\n[e](../../run)\n```\n")
    assert f"]({pages.REPOSITORY}/examples/tour.py)" in text
    assert "[b](mpi.md#x) [c](../adr/index.md)" in text
    assert "[e](../../run)" in text


def test_pages_that_run_are_notebooks_too():
    texts = pages.with_notebooks(pages.of_docs())
    running = {path for path in pages.DOCS.rglob("*.md") if "{code-cell}" in path.read_text()}
    assert len([name for name in texts if name.endswith(".ipynb")]) == len(running) > 10
    for path in running:
        name = path.relative_to(pages.DOCS).with_suffix("").as_posix()
        made = json.loads(texts[f"{notebooks.FOLDER}/{name}.ipynb"])
        code = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
        assert code == [
            cell.strip("\n") for cell in re.findall(r"^```.code-cell. python\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)
        ]
        assert "".join(made["cells"][0]["source"]).startswith("# ")
        link = re.search(r'<a href="(.*)" download>Download this page as a notebook</a>', texts[f"{name}.md"])[1]
        assert (path.parent / link).resolve() == pages.DOCS / notebooks.FOLDER / f"{name}.ipynb"
    text = notebooks.notebook("[a](../theory.md#b) [c](https://d.e/f)", "docs/tutorials", "https://x/main")
    assert "[a](https://x/main/docs/theory.md#b) [c](https://d.e/f)" in text
    assert '"All models."' in notebooks.notebook("All [models](../reference/models/neurons.md).", "docs/tutorials", "https://x/main")


def test_long_names_break_behind_underscores_and_dots():
    tree = '<a href="stdp_nn_symm_synapse.html">stdp_nn_symm_synapse</a> 0.5 _x <code>net.time_</code>'
    softened = '<a href="stdp_nn_symm_synapse.html">stdp_<wbr>nn_<wbr>symm_<wbr>synapse</a> 0.5 _x <code>net.<wbr>time_</code>'
    assert breaks.softened(tree) == softened
    context = {"furo_navigation_tree": tree, "toc": tree, "body": f"<h1>a_b</h1>\n<p>{tree}</p>", "prev": {"link": "a_b", "title": "a_b"}}
    breaks.process(None, "", "", context, None)
    assert context["furo_navigation_tree"] == context["toc"] == softened
    assert context["body"] == f"<h1>a_<wbr>b</h1>\n<p>{tree}</p>"
    assert context["prev"] == {"link": "a_b", "title": "a_<wbr>b"}


def test_links_to_other_sites_are_gone_or_unsure(tmp_path):
    def link(status, info, uri):
        return json.dumps({"filename": "a.md", "lineno": 3, "status": status, "code": 0, "uri": uri, "info": info})

    lines = [
        link("working", "", "https://there.org"),
        link("redirected", "https://new.org/404 ", "https://old.org"),
        link("broken", "404 Client Error: Not Found for url: https://gone.org/x", "https://gone.org/x"),
        link("broken", "429 Client Error: Too Many Requests for url: https://busy.org", "https://busy.org"),
        link("broken", "403 Client Error: Forbidden for url: https://doi.org/10.404/1", "https://doi.org/10.404/1"),
        link("timeout", "timed out", "https://slow.org"),
    ]
    no_site = link("broken", "Max retries exceeded (Caused by NameResolutionError(...))", "https://no.org")
    (tmp_path / "output.json").write_text(no_site)
    assert links.judged(tmp_path / "output.json")[0] == []  # nothing was reached: there is no network
    (tmp_path / "output.json").write_text("\n".join([*lines, no_site]))
    gone, unsure = links.judged(tmp_path / "output.json")
    assert [told.split()[1] for told in gone] == ["https://gone.org/x", "https://no.org"]
    assert [told.split()[1] for told in unsure] == ["https://busy.org", "https://doi.org/10.404/1", "https://slow.org"]


def test_titles_of_the_gallery_differ():
    short = gallery.short_titles()
    assert len(set(short.values())) == len(short) == len(gallery.examples())


def test_pages_of_the_gallery_show_the_processor_time():
    path = gallery.examples()[0]
    result = {"numbers": {"rate": 5.0}, "seconds": 31.4, "cpu_seconds": 4.26}
    assert "took 4.3 s of processor time and 31 s on the clock" in gallery.page(path, result)


def test_examples_of_the_gallery_say_what_they_are():
    for path in gallery.examples():
        module = gallery.load(path)
        assert re.match(r"[A-Za-z].* \(\d{4}\): ", module.__doc__), path.name
        assert callable(module.numbers)
        assert callable(module.draw)
