"""Monitors: models through litellm, and monitors without a model."""
