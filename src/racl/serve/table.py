"""Every route of the service, one after the other; nothing else is answered, but the page."""

from __future__ import annotations

from typing import Any

from racl.serve import answering, comparing, modelling, remembering, stating, vetoes
from racl.serve.routes import Permission, Route
from racl.serve.tallies import CompareAnswer, CompareQuery, VetoesAnswer, VetoesQuery
from racl.serve.wire import (
    ChooseAnswer,
    ChooseRequest,
    DecideAnswer,
    DecideRequest,
    DecisionsAnswer,
    DecisionsQuery,
    DifferencesAnswer,
    ExplainAnswer,
    ExplainRequest,
    Health,
    LimitQuery,
    LoggedDecision,
    ModelAnswer,
    ModelsAnswer,
    ModelSummary,
    NothingRequest,
    OutcomeAnswer,
    OutcomeRequest,
    Ready,
    Registered,
    ReplayAnswer,
    ShadowRequest,
    ShareRequest,
    VersionRequest,
    WhatIfAnswer,
    WhatIfRequest,
)

OPEN, DECIDE, READ, ADMIN = Permission.OPEN, Permission.DECIDE, Permission.READ, Permission.ADMIN

ROW: dict[str, Any] = {
    "fare": 320.0, "carrier": "UA", "cabin": "main", "departs": 8.5, "minutes": 190, "stops": 0, "bags": 0,
    "refundable": False, "persona": "family", "budget": 100, "threshold": -2, "travellers": 3, "bags_needed": 2,
}  # fmt: skip
NAME = "air-ticket@3b1a6c0de012"
ID = "00064a1f2b3c4d5e6f708192a3b4c5d6"
VERDICT: dict[str, Any] = {
    "accepted": True, "credit": "accepted-repairable-good", "plan": "add_bags",
    "value": 1.5, "margin": 3.5, "cost": 70.0,
}  # fmt: skip
DECIDED = {"id": ID, "model": NAME, **VERDICT}

ROUTES: tuple[Route, ...] = (
    Route(
        "POST", "/v1/decide", DECIDE, "Decide one row or many", answering.decide,
        takes=DecideRequest, gives=DecideAnswer,
        example={"row": ROW, "idempotency_key": "order-1841"}, answer={"decisions": [DECIDED]}, faults=(409,),
    ),
    Route(
        "POST", "/v1/choose", DECIDE, "Decide a choice set and take the best", answering.choose,
        takes=ChooseRequest, gives=ChooseAnswer,
        example={"rows": [ROW, {**ROW, "fare": 280.0}]}, answer={"chosen": 1, "decisions": [DECIDED, DECIDED]}, faults=(409,),
    ),
    Route(
        "POST", "/v1/explain", DECIDE, "Explain the decision on a row", answering.explain,
        takes=ExplainRequest, gives=ExplainAnswer,
        example={"row": ROW}, answer={"model": NAME, "explanation": VERDICT, "words": "accepted ..."},
    ),
    Route(
        "POST", "/v1/what-if", DECIDE, "Decide a row again with something changed", answering.what_if,
        takes=WhatIfRequest, gives=WhatIfAnswer,
        example={"row": ROW, "changes": {"bags_needed": 0}, "budget": 35},
        answer={"model": NAME, "before": VERDICT, "after": VERDICT, "turned": False}, faults=(409,),
    ),
    Route("GET", "/v1/models", READ, "Every model", stating.models, gives=ModelsAnswer),
    Route("GET", "/v1/models/{name}", READ, "A model and its versions", stating.model, gives=ModelSummary, faults=(404,)),
    Route(
        "GET", "/v1/models/{name}/versions/{version}", READ, "A version of a model in full",
        stating.model_version, gives=ModelAnswer, faults=(404,),
    ),
    Route(
        "POST", "/v1/models", ADMIN, "Send a model file as a new version", modelling.register,
        raw=True, gives=Registered, status=(200, 201),
    ),
    Route(
        "POST", "/v1/models/{name}/activate", ADMIN, "Let a version decide", modelling.activate,
        takes=VersionRequest, gives=ModelSummary, example={"version": "3b1a6c0de012"},
    ),
    Route(
        "POST", "/v1/models/{name}/rollback", ADMIN, "Let the version before decide", modelling.roll_back,
        takes=NothingRequest, gives=ModelSummary, example={}, faults=(409,),
    ),
    Route(
        "POST", "/v1/models/{name}/shadow", ADMIN, "Let a version decide unseen", modelling.shadow,
        takes=ShadowRequest, gives=ModelSummary, example={"version": "3b1a6c0de012"}, faults=(409,),
    ),
    Route(
        "POST", "/v1/models/{name}/share", ADMIN, "Let a version decide a share", modelling.share,
        takes=ShareRequest, gives=ModelSummary, example={"version": "3b1a6c0de012", "share": 0.05}, faults=(409,),
    ),
    Route(
        "GET", "/v1/models/{name}/differences", READ, "Where the shadow differs", modelling.differences,
        asks=LimitQuery, gives=DifferencesAnswer, faults=(404,),
    ),
    Route(
        "GET", "/v1/models/{name}/compare", READ, "How two versions decide what was logged", comparing.compare,
        asks=CompareQuery, gives=CompareAnswer, faults=(404,),
    ),
    Route(
        "GET", "/v1/models/{name}/vetoes", READ, "What is being lost, and to what", vetoes.vetoes,
        asks=VetoesQuery, gives=VetoesAnswer, faults=(404,),
    ),
    Route(
        "GET", "/v1/decisions", READ, "The log, by filters and pages", remembering.decisions,
        asks=DecisionsQuery, gives=DecisionsAnswer, faults=(404,),
    ),
    Route("GET", "/v1/decisions/{id}", READ, "One decision", remembering.decision, gives=LoggedDecision, faults=(404,)),
    Route(
        "GET", "/v1/decisions/{id}/explanation", READ, "One decision explained", remembering.explanation,
        gives=ExplainAnswer, faults=(404, 409),
    ),
    Route(
        "POST", "/v1/decisions/{id}/replay", READ, "One decision made again", remembering.replay,
        takes=NothingRequest, gives=ReplayAnswer, example={}, faults=(409,),
    ),
    Route(
        "POST", "/v1/decisions/{id}/outcome", DECIDE, "What became of an offer", remembering.outcome,
        takes=OutcomeRequest, gives=OutcomeAnswer, example={"accepted": True}, status=(200, 201), faults=(409,),
    ),
    Route("GET", "/healthz", OPEN, "The service runs", stating.health, gives=Health, limited=False),
    Route("GET", "/readyz", OPEN, "Requests are answered", stating.ready, gives=Ready, status=(200, 503), limited=False),
    Route("GET", "/metrics", READ, "Counts for Prometheus", stating.metrics, media="text/plain", limited=False, home=True),
    Route("GET", "/openapi.json", OPEN, "This description", stating.openapi, limited=False),
)  # fmt: skip
