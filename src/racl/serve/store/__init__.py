"""The memory of a service: what it decided, what came of it, and which models and keys it knows."""
