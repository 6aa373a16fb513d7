"""How good decisions are: false vetoes and false accepts, regret, credit, plans, ranking, calibration."""
