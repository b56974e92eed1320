"""Three ways to show one example to a monitor: base, repograph, ebg."""
