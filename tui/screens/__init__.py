"""The screens: the one for reading, and the dialogs over it."""
