"""The expression language: text to tree, types, and back to text."""
