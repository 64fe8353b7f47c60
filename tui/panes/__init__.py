"""The panes of the reader: values come down by their methods, messages go up; none knows another."""
