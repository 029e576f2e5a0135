"""Pictures of encodings and of what they learned."""

import numpy as np
import pytest

from lengthwise.analysis.relation_tables import read_relation_from
from lengthwise.core.errors import InputError
from lengthwise.positions import load_position
from lengthwise.report.model_figures import draw_maps, draw_readout, encoding_maps
from lengthwise.report.static import save_drawn
from tests.analysis.test_relation_tables import module_for_select_last
from tests.positions.cases import example


def test_drawing_a_readout(tmp_path):
    readout = read_relation_from(module_for_select_last(), 6)
    save_drawn(draw_readout(readout, title="learned"), tmp_path / "relation.svg")
    assert "<svg" in (tmp_path / "relation.svg").read_text()


@pytest.mark.parametrize("name", ["rope", "xpos"])
def test_drawn_similarity_is_one_at_distance_zero(name):
    ((title, values),) = encoding_maps(load_position(name), 5)
    assert "similarity" in title
    np.testing.assert_allclose(np.diag(values), 1, rtol=1e-5)
    assert np.isnan(values[0, 1])


@pytest.mark.parametrize("text", [example(n) for n in ("ape", "cope", "ipe-sh", "hybrid", "nope")])
def test_drawing_writes_what_is_asked(text, tmp_path):
    shown = encoding_maps(load_position(text), 7)
    for suffix in ("png", "svg"):
        save_drawn(draw_maps(shown, title=text), tmp_path / f"x.{suffix}")
        assert (tmp_path / f"x.{suffix}").stat().st_size > 1000
    with pytest.raises(InputError, match="gif"):
        save_drawn(draw_maps(shown), tmp_path / "x.gif")


def test_drawn_sinusoid_similarity_is_its_cosine():
    ((_, values),) = encoding_maps(load_position("sinusoidal"), 4)
    w = 10000 ** (-np.arange(0, 128, 2) / 128)
    assert values[3, 1] == pytest.approx(np.cos(2 * w).mean(), rel=1e-5)


def test_maps_share_one_scale_so_that_slopes_can_be_compared():
    maps = encoding_maps(load_position("alibi"), 8)
    images = [axis.images[0] for axis in draw_maps(maps).axes if axis.images]
    assert len({image.get_clim() for image in images}) == 1
    assert images[0].get_clim() == (min(np.nanmin(data) for _, data in maps), 0.0)
