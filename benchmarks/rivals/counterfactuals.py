"""DiCE, one row at a time: one counterfactual of the candidate that a classifier would accept.

It is given no menu, cost or requirement: it looks for any change of the candidate that flips a classifier
trained on the truth. Run as a program of its own, since DiCE may want other versions of what the rest uses;
prints JSON.
"""

import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from airline import rows as airline
from answers import preference

from rivals import columns

NUMBERS = ["fare", "stops", "layover", "duration", "departs", "budget", "threshold"]
CANDIDATE = ["fare", "stops", "layover", "duration", "departs", "has_bag", "refundable", "carrier", "cabin"]
TRAINING = 20_000


def frame(n: int, seed: int) -> tuple[Any, Any]:
    """Rows as DiCE likes them, all but numbers as text, and whether each is good enough as it stands."""
    rows = airline.columns(n, seed)
    good = columns.decide(rows, preference(airline.HERE / "model.json")).credit == 0
    table = airline.pandas(rows)
    for name in table.columns.difference(NUMBERS):
        table[name] = table[name].astype(str).astype(object)
    return table, good


def explainer(method: str) -> Any:
    """DiCE around a scikit-learn classifier."""
    import dice_ml
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    table, good = frame(TRAINING, seed=1)
    texts = OneHotEncoder(sparse_output=False), make_column_selector(dtype_include=object)
    encode = make_column_transformer(texts, remainder="passthrough")
    classifier = make_pipeline(encode, HistGradientBoostingClassifier(max_iter=100)).fit(table, good)
    data = dice_ml.Data(
        dataframe=table.assign(good=good.astype(int)), continuous_features=NUMBERS, outcome_name="good"
    )
    return dice_ml.Dice(data, dice_ml.Model(model=classifier, backend="sklearn"), method=method)


def main(n: int, method: str) -> None:
    """Asks for one counterfactual for each row, and says how long that took and how many were found."""
    warnings.simplefilter("ignore")
    dice = explainer(method)
    table, _ = frame(n, seed=0)
    spent, found = [], 0
    for at in range(n):
        before = perf_counter()
        try:
            dice.generate_counterfactuals(
                table.iloc[[at]], total_CFs=1, desired_class=1, features_to_vary=CANDIDATE, verbose=False
            )
            found += 1
        except Exception as none:  # noqa: BLE001 - DiCE raises one of its own where it finds nothing
            print(f"row {at}: {type(none).__name__}: {none}", file=sys.stderr)
        spent.append(perf_counter() - before)
    print(json.dumps({"mean": fmean(spent), "found": found, "rows": n, "version": version("dice-ml")}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
