"""Learn what people prefer from what they accept and reject, and guard against false vetoes."""
