"""What stands in the sound domain file, what is put in its place, and the fault that is then named."""

from __future__ import annotations

LAYOVER = 'layover    = { type = "number", default = 0 }'
CARRIER = 'carrier    = { type = "category", values = ["AA", "UA", "WN"] }'
BAG = 'bag        = "has_bag or not needs_bag"'
PRICE = 'price   = "fare / 500"'
SETS = 'sets    = { refundable = "true" }'
COST = 'cost    = "0.25 * fare"'
APPLIES = 'applies = "not refundable"'

# what stands in the file; what stands there instead; the one fault that is found
FAULTS: list[tuple[str, str, str]] = [
    ("racl = 1\n", "", "racl: the format version is missing (begin with `racl = 1`)"),
    ("racl = 1\n", "racl = 2\n", "racl: format version `2` is not known (this release reads 1)"),
    ("racl = 1\n", 'racl = "1"\n', "racl: format version `1` is not known (this release reads 1)"),
    ('name = "air-ticket"', "", 'name: the name is missing (add `name = "my-domain"`)'),
    (
        'name = "air-ticket"',
        'name = "Air"',
        "name: `Air` is not a name (lower-case letters, digits, `-` and `_`, at most 64)",
    ),
    ('name = "air-ticket"', 'name = "air"\nlabel = 3', "label: `3` is not text"),
    ('name = "air-ticket"', 'name = "air"\nnmae = "x"', "nmae: unknown key `nmae` (did you mean `name`?)"),
    # columns
    (LAYOVER, 'layover = "numbr"', "candidate.layover.type: unknown type `numbr` (did you mean `number`?)"),
    (
        LAYOVER,
        "layover = { min = 0 }",
        "candidate.layover.type: the type is missing (one of `number`, `integer`, `boolean`, `category`)",
    ),
    (LAYOVER, "layover = 3", "candidate.layover: `3` stands where a table is wanted"),
    (
        LAYOVER,
        'layover = { type = "number", mini = 0 }',
        "candidate.layover.mini: unknown key `mini` (did you mean `min`?)",
    ),
    (LAYOVER, 'layover = { type = "number", min = "0" }', "candidate.layover.min: `0` is not a number"),
    (LAYOVER, 'layover = { type = "number", min = true }', "candidate.layover.min: `True` is not a number"),
    (
        LAYOVER,
        'layover = { type = "number", min = 5, max = 4 }',
        "candidate.layover.min: the minimum is above the maximum",
    ),
    (
        LAYOVER,
        'layover = { type = "number", min = nan }',
        "candidate.layover.min: `nan` is not a finite number",
    ),
    (
        LAYOVER,
        'layover = { type = "number", default = "0" }',
        "candidate.layover.default: the default is refused by its own column: `0` is not a number",
    ),
    (
        LAYOVER,
        'layover = { type = "number", default = -1, min = 0 }',
        "candidate.layover.default: the default is refused by its own column: `-1.0` is below the minimum 0",
    ),
    (
        LAYOVER,
        'layover = { type = "integer", default = 0.5 }',
        "candidate.layover.default: the default is refused by its own column: `0.5` is not a whole number within 2**53",
    ),
    (
        LAYOVER,
        'layover = { type = "number", values = ["a"] }',
        "candidate.layover.values: a number has no `values`",
    ),
    (LAYOVER, 'layover = { type = "number", unit = 3 }', "candidate.layover.unit: `3` is not text"),
    (
        'has_bag    = "boolean"',
        'has_bag = { type = "boolean", min = 0 }',
        "candidate.has_bag.min: a boolean has no `min`",
    ),
    (
        'has_bag    = "boolean"',
        'has_bag = { type = "boolean", default = 1 }',
        "candidate.has_bag.default: the default is refused by its own column: `1` is not a boolean",
    ),
    (
        CARRIER,
        'carrier = "category"',
        "candidate.carrier.values: a category needs its values (as in `values = ['AA', 'UA']`)",
    ),
    (
        CARRIER,
        'carrier = { type = "category", values = [] }',
        "candidate.carrier.values: a category needs its values (as in `values = ['AA', 'UA']`)",
    ),
    (
        CARRIER,
        'carrier = { type = "category", values = ["AA", 1] }',
        "candidate.carrier.values: a category needs its values (as in `values = ['AA', 'UA']`)",
    ),
    (
        CARRIER,
        'carrier = { type = "category", values = ["AA", "UA", "AA"] }',
        "candidate.carrier.values: the value `AA` stands twice",
    ),
    (
        CARRIER,
        'carrier = { type = "category", values = ["AA"], max = 3 }',
        "candidate.carrier.max: a category has no `max`",
    ),
    (
        CARRIER,
        'carrier = { type = "category", values = ["AA"], default = "ZZ" }',
        "candidate.carrier.default: the default is refused by its own column: `ZZ` is not among the values",
    ),
    (
        'needs_bag    = "boolean"',
        'needs_bag = "boolean"\nfare = "number"',
        "context.fare: `fare` is a column of [candidate] already (a column stands in one of the two sections)",
    ),
    # expressions
    (BAG, "bag = 3", "requirements.bag: a number where a boolean is wanted (compare it, as in `x > 0`)"),
    (BAG, "bag = []", "requirements.bag: `[]` stands where an expression is wanted (write it in quotes)"),
    (
        BAG,
        'bag = { expr = "has_bag" }',
        "requirements.bag: `{'expr': 'has_bag'}` stands where an expression is wanted (write it in quotes)",
    ),
    (
        BAG,
        "bag = 2020-01-01",
        "requirements.bag: `datetime.date(2020, 1, 1)` stands where an expression is wanted (write it in quotes)",
    ),
    (PRICE, 'price = "carrier"', "features.price: a category where a number is wanted"),
    (PRICE, "price = inf", "features.price: `inf` is not a finite number"),
    (
        BAG,
        'bag = "nan == fare"',
        "requirements.bag: unknown name `nan` (nulls are replaced by a column's `default`)",
    ),
    # repairs
    (SETS, "sets = 3", "repairs.make_refundable.sets: `3` stands where a table is wanted"),
    (
        SETS,
        "",
        'repairs.make_refundable.sets: the repair sets nothing (add `sets = { column = "expression" }`)',
    ),
    (
        SETS,
        "sets = { carrier = \"'ZZ'\" }",
        "repairs.make_refundable.sets.carrier: `ZZ` is not among the values of `carrier`",
    ),
    (
        SETS,
        "sets = { carrier = \"'BA' if has_bag else carrier\" }",
        "repairs.make_refundable.sets.carrier: `BA` is not among the values of `carrier`",
    ),
    (
        SETS,
        'sets = { refundable = "fare" }',
        "repairs.make_refundable.sets.refundable: a number where a boolean is wanted (compare it, as in `x > 0`)",
    ),
    (
        SETS,
        'sets = { fare = "carrier" }',
        "repairs.make_refundable.sets.fare: a category where a number is wanted",
    ),
    (
        SETS,
        'sets = { refundible = "true" }',
        "repairs.make_refundable.sets.refundible: a repair sets the undeclared column `refundible` (did you mean `refundable`?)",
    ),
    (
        APPLIES,
        "applies = 1",
        "repairs.make_refundable.applies: a number where a boolean is wanted (compare it, as in `x > 0`)",
    ),
    (COST, 'cost = "carrier"', "repairs.make_refundable.cost: a category where a number is wanted"),
    (COST, "cost = -3", "repairs.make_refundable.cost: the cost `-3` is negative (a cost is at least 0)"),
    (
        COST,
        "price = 3",
        (
            "repairs.make_refundable.price: unknown key `price` (the keys here are `applies`, `sets`, `cost`, `label`, "
            "`description`)"
        ),
    ),
    (COST, "label = 3", "repairs.make_refundable.label: `3` is not text"),
    (
        "[repairs.make_refundable]",
        "[repairs]\nmake_it = 3\n[repairs.make_refundable]",
        "repairs.make_it: `3` stands where a table is wanted",
    ),
]


RULES = [
    (
        'budget = "fare"',
        "rule.budget: [rule] cannot read `fare`, a column of [candidate] (it reads [context] alone)",
    ),
    ('threshold = "treshold"', "rule.threshold: unknown name `treshold` (did you mean `threshold`?)"),
    (
        'threshold = "needs_bag and 1"',
        "rule.threshold: a number where a boolean is wanted (compare it, as in `x > 0`)",
    ),
    ('threshold = "persona"', "rule.threshold: a category where a number is wanted"),
    ('persona = "budget"', "rule.persona: `budget` is not a category (a persona is a category of [context])"),
    ('persona = "carrier"', "rule.persona: `carrier` is not a category of [context]"),
    ('persona = "persna"', "rule.persona: `persna` is not a category of [context] (did you mean `persona`?)"),
    ("persona = 3", "rule.persona: `3` is not a category of [context]"),
    ("tradeoff = -1", "rule.tradeoff: `-1` is not a finite number of at least 0"),
    ('tradeoff = "1"', "rule.tradeoff: `1` is not a finite number of at least 0"),
    ("tradeoff = true", "rule.tradeoff: `True` is not a finite number of at least 0"),
    ('choose = "worst"', "rule.choose: `worst` is no way to choose (`best` or `cheapest`)"),
    ("choose = 1", "rule.choose: `1` is no way to choose (`best` or `cheapest`)"),
    ("choose = []", "rule.choose: `[]` is no way to choose (`best` or `cheapest`)"),
    ("steps = 0", "rule.steps: `0` is not a whole number from 1 to 4"),
    ("steps = 5", "rule.steps: `5` is not a whole number from 1 to 4"),
    ("steps = 1.0", "rule.steps: `1.0` is not a whole number from 1 to 4"),
    ("steps = true", "rule.steps: `True` is not a whole number from 1 to 4"),
    (
        "lambda = 1",
        (
            "rule.lambda: unknown key `lambda` "
            "(the keys here are `budget`, `threshold`, `persona`, `tradeoff`, `choose`, `steps`, `label`, `description`)"
        ),
    ),
]
