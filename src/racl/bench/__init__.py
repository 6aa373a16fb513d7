"""The paper's benchmark: tiers with their truth, the protocol, its tables and figures."""
