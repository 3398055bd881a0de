"""What Schemathesis cannot draw from the description: who calls, and names of what there is.

`SCHEMA_CALLERS` holds, in JSON, `key`, `session`, `leaver` (the session that may end), `kept` (the id of the
key, which must not end), `receiver` (where webhooks go), `models` by path, and `ids` by the
beginning of a path. Every choice follows from the case alone, so that a seed draws the same requests again.
"""

import json
import os
import zlib

import schemathesis

CALLERS = json.loads(os.environ["SCHEMA_CALLERS"])


def chosen(case, choices):
    """One of the choices, or None for one case in four, which keeps what was drawn."""
    number = zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode("utf-8", "surrogatepass"))
    return None if number % 4 == 0 else choices[number // 4 % len(choices)]


def caller_of(operation):
    if operation.label == "POST /api/v1/auth/sign-out":
        return CALLERS["leaver"]
    schemes = {name for one in operation.definition.raw.get("security", []) for name in one}
    return CALLERS["session"] if "session" in schemes else CALLERS["key"]


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.operation.path
    if case.operation.definition.raw.get("security"):
        case.headers["Authorization"] = "Bearer " + caller_of(case.operation)
    for prefix, ids in CALLERS["ids"].items():
        if path.startswith(prefix):
            for name in case.path_parameters or {}:
                known = chosen(case, ids.get(name, [None]))
                # Schemathesis also draws what it has read in answers.
                if known is None and case.path_parameters[name] == CALLERS["kept"]:
                    known = ids[name][0]
                if known is not None:
                    case.path_parameters[name] = known
            break
    if isinstance(case.body, dict):
        models = CALLERS["models"].get(path)
        if models is not None and "model" in case.body:
            model = chosen(case, models)
            if model is not None:
                case.body["model"] = model
        # Nothing of what is drawn is sent to a stranger's host.
        if path.startswith("/api/v1/webhooks") and "url" in case.body:
            case.body["url"] = CALLERS["receiver"]
