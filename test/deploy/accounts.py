"""What an account answers to `up`: its quotas, its models and its access to them, and a record of what each user was allowed.

The formats are those of the API references of Service Quotas (GetServiceQuota) and Amazon Bedrock
(GetFoundationModelAvailability). Models of Anthropic are not agreed to, as in a new account.
"""

import asyncio
import contextvars
import inspect
import json
import os
import urllib.error
import urllib.parse
import urllib.request

import ministack.app as app
from ministack.core import iam_actions, iam_evaluator, router
from ministack.core.responses import error_response_json
from ministack.services import bedrock

SERVICE_QUOTAS = "servicequotas"

# As an account has them after a request: AWS's defaults of 2026, except that Lambda's are seen by Lambda itself.
QUOTAS = {
    "L-F678F1CE": 5,
}


def json_response(body):
    return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()


async def answer_quotas(_method, _path, headers, body, _query):
    action = headers.get("x-amz-target", "").partition(".")[2]
    code = json.loads(body or b"{}").get("QuotaCode")
    if action not in ("GetServiceQuota", "GetAWSDefaultServiceQuota") or code not in QUOTAS:
        return error_response_json("NoSuchResourceException", "there is no such quota", 400)
    return json_response({"Quota": {"QuotaCode": code, "Value": QUOTAS[code]}})


def availability(model):
    agreed = "NOT_AVAILABLE" if model.startswith("anthropic.") else "AVAILABLE"
    return json_response(
        {
            "modelId": model,
            "agreementAvailability": {"status": agreed},
            "authorizationStatus": "AUTHORIZED",
            "entitlementAvailability": "AVAILABLE",
            "regionAvailability": "AVAILABLE",
        }
    )


# Services that simulators outside serve, and the variable with the address of each one's.
SIMULATED = {
    "bedrock": "SIMULATED_MODELS",
    "bedrock-runtime": "SIMULATED_MODELS",
    "polly": "SIMULATED_MODELS",
    "transcribe": "SIMULATED_TRANSCRIBE",
}

# Headers of the connection, which the next one has its own of.
OF_CONNECTION = {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "expect"}


def send(url, method, headers, body):
    onward = {name: value for name, value in headers.items() if name.lower() not in OF_CONNECTION}
    request = urllib.request.Request(url, data=body or None, method=method, headers=onward)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, dict(response.headers), response.read()
    except urllib.error.HTTPError as failure:
        return failure.code, dict(failure.headers), failure.read()


def forwarding(variable):
    """Answers as the simulator does. The access to a model is the account's own."""

    async def forward(method, path, headers, body, query):
        if path.startswith("/foundation-model-availability/"):
            return availability(urllib.parse.unquote(path.rpartition("/")[2]))
        parameters = urllib.parse.urlencode(query or {}, doseq=True)
        url = os.environ[variable] + urllib.parse.quote(path, safe="/%:") + (f"?{parameters}" if parameters else "")
        status, answered, content = await asyncio.to_thread(send, url, method, headers, body)
        kept = {name: value for name, value in answered.items() if name.lower() not in OF_CONNECTION}
        return status, kept, content

    return forward


# The bucket that a job of the current request names: a condition of its right.
job_bucket = contextvars.ContextVar("job_bucket", default=None)

enforce = iam_evaluator.enforce
enforce_signature = inspect.signature(enforce)


# Batches need the right of the single request (Amazon SQS developer guide, API permissions: actions and resource reference).
RIGHTS_OF_BATCHES = {
    "sqs:SendMessageBatch": "sqs:SendMessage",
    "sqs:DeleteMessageBatch": "sqs:DeleteMessage",
    "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
}


def enforce_and_record(*args, **kwargs):
    """Asks for the right that AWS asks for. Writes a line for each request of a user that its policies allow."""
    bound = enforce_signature.bind(*args, **kwargs)
    call = bound.arguments
    call["iam_action"] = RIGHTS_OF_BATCHES.get(call["iam_action"], call["iam_action"])
    if call["iam_action"] == "transcribe:StartTranscriptionJob":
        call["service_context"] = {"transcribe:OutputBucketName": job_bucket.get()}
    result = enforce(*bound.args, **bound.kwargs)
    file = os.environ.get("ALLOWED_REQUESTS")
    if file and result is None and (call["access_key_id"] or "").startswith("AKIA"):
        with open(file, "a", encoding="utf-8") as lines:
            lines.write(json.dumps([call["iam_action"], call.get("resource_arn", "*")]) + "\n")
    return result


extract_resource_arn = iam_actions.extract_resource_arn


def resource_arn(service, method, path, headers, body, query_params, region, account_id):
    """Names the policy that a request creates (service authorization reference, IAM), which MiniStack takes for any."""
    arn = extract_resource_arn(service, method, path, headers, body, query_params, region, account_id)
    if service == "transcribe":
        request = json.loads(body or b"{}")
        job_bucket.set(request.get("OutputBucketName"))
        name = request.get("TranscriptionJobName")
        is_one = headers.get("x-amz-target", "").endswith((".GetTranscriptionJob", ".DeleteTranscriptionJob"))
        return f"arn:aws:transcribe:{region}:{account_id}:transcription-job/{name}" if is_one else "*"
    name = iam_actions._query_param(query_params, "PolicyName")
    if service == "iam" and arn == "*" and name:
        return f"arn:aws:iam::{account_id}:policy/{name}"
    return arn


def install():
    """Puts all of this into the emulator."""
    router.SERVICE_PATTERNS[SERVICE_QUOTAS] = {
        "target_prefixes": ["ServiceQuotasV20190624"],
        "host_patterns": [r"servicequotas\."],
        "credential_scope": SERVICE_QUOTAS,
    }
    app.SERVICE_HANDLERS[SERVICE_QUOTAS] = answer_quotas
    iam_actions.SERVICE_TO_IAM_NAMESPACE[SERVICE_QUOTAS] = SERVICE_QUOTAS
    bedrock._get_foundation_model_availability = availability
    router.SERVICE_PATTERNS["polly"] = {"host_patterns": [r"polly\."], "credential_scope": "polly"}
    iam_actions.SERVICE_TO_IAM_NAMESPACE["polly"] = "polly"
    iam_actions._BOTOCORE_SERVICE_MAP["polly"] = ["polly"]
    for service, variable in SIMULATED.items():
        if variable in os.environ:
            app.SERVICE_HANDLERS[service] = forwarding(variable)
    iam_evaluator.enforce = enforce_and_record
    iam_actions.extract_resource_arn = resource_arn
