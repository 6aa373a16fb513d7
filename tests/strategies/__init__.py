"""Domains, models, expressions and rows drawn at random: from a seed, quickly, or by hypothesis, which then shrinks."""
