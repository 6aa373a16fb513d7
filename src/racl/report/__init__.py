"""Reports: pictures as SVG, and pages of one HTML file that needs nothing else."""
