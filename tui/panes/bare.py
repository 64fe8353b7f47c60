"""A pane that draws its own lines, edge to edge."""

from __future__ import annotations

from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip


class Bare(ScrollView):
    """A scroll view without border, padding and opacity, nor may a style sheet give it any."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """As any widget's, without the time that it takes to look for all that."""
        bare, width = self.rich_style, self.size.width
        lines = [self.render_line(y).adjust_cell_length(width, bare) for y in crop.line_range]
        background = self.background_colors[1]
        for line_filter in self.get_line_filters():
            lines = [line.apply_filter(line_filter, background) for line in lines]
        return [line.crop(crop.x, crop.right) for line in lines]
