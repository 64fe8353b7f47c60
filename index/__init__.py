"""Everything of postil that does not draw."""
