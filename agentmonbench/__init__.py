"""AgentMonBench: the benchmark of monitors."""
