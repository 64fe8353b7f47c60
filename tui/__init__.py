"""Everything of postil that draws, and the command line."""
