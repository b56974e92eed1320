"""Evidence-grounded behavior graphs of Python repositories and of agents' sessions, built without any model."""
