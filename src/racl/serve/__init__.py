"""A decision service: HTTP in front of a model, with a memory."""
