"""From an agent's session to its graph: neutral events, readers, behaviors, tasks, links."""
