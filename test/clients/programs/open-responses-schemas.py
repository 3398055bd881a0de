"""Checks JSON documents against the schemas of the Open Responses specification, as the package openresponses-types has
them. Each line of the input is `[schema, text]`, where the schema is the name of a model, or `event`, which is found by its
type. Prints for each line what is wrong with it, as JSON; null where nothing is."""

import inspect
import json
import sys
from typing import get_args

from openresponses_types import types
from pydantic import BaseModel, TypeAdapter, ValidationError


def type_of(model):
    """The value of an event's `type`, which its model has as an enumeration or a literal of one value."""
    kind = model.model_fields["type"].annotation
    values = get_args(kind) or [member.value for member in kind]
    return values[0]


EVENTS = {
    type_of(model): model
    for name, model in inspect.getmembers(types, inspect.isclass)
    if name.endswith("StreamingEvent") and issubclass(model, BaseModel)
}


def problem(schema, text):
    if schema != "event":
        model = getattr(types, schema)
    elif (kind := json.loads(text).get("type")) in EVENTS:
        model = EVENTS[kind]
    else:
        return f"the specification has no event {kind}"
    try:
        TypeAdapter(model).validate_json(text, strict=True)
    except ValidationError as error:
        return str(error)
    return None


for line in sys.stdin:
    print(json.dumps(problem(*json.loads(line))))
