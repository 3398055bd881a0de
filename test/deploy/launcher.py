"""Starts MiniStack with what this service needs and it lacks: streamed responses, kinds of resource, stages.

It is changed from outside, while it runs, so the version is pinned in requirements.txt. What it cannot do even so, and
what the templates are therefore asserted for: WAF rules count nothing, metric math is not evaluated, and properties that
it does not know are dropped without a word.
"""

import asyncio
import base64
import contextvars
import json
import os
import threading
import time
import uuid

import accounts
import exports
import stages

import ministack.app as app
from ministack.core import lambda_runtime
from ministack.core.responses import StreamingResponse
from ministack.services import apigateway_v1 as gateway
from ministack.services import dynamodb, iam, waf
from ministack.services.cloudformation import _stacks, provisioners

# --- Functions that stream -------------------------------------------------------------------------------------------
# The runtime's own JSON lines on standard output also carry the chunks that lambda-runtime.ts writes: whoever waits for
# them leaves a sink in this variable, which follows the call to the thread that reads the lines.

STREAMING_URI = "/response-streaming-invocations"
CHUNK = '{"status":"chunk"'

chunk_sink = contextvars.ContextVar("chunk_sink", default=None)


class WithoutChunks:
    """A function's standard output, with the chunks taken out and given to the sink of the call."""

    def __init__(self, stream):
        self.stream = stream
        self.sink = None

    def readline(self):
        while True:
            line = self.stream.readline()
            if not line.startswith(CHUNK):
                return line
            if self.sink is not None:
                self.sink(json.loads(line))


spawn = lambda_runtime.Worker._spawn
invoke = lambda_runtime.Worker.invoke


def spawn_with_chunks(worker, *args, **kwargs):
    result = spawn(worker, *args, **kwargs)
    worker._proc.stdout = WithoutChunks(worker._proc.stdout)
    worker._proc.stdout.sink = worker.sink
    return result


def invoke_with_chunks(worker, *args, **kwargs):
    worker.sink = chunk_sink.get()
    if worker._proc is not None:
        worker._proc.stdout.sink = worker.sink
    return invoke(worker, *args, **kwargs)


kill_workers = lambda_runtime.kill_workers


def kill_when_idle(workers):
    """An update leaves a process that serves a call to it, as Lambda does; MiniStack would end it in the middle."""
    busy = [worker for worker in workers if worker.in_use]
    kill_workers([worker for worker in workers if worker not in busy])

    def wait():
        while any(worker.in_use for worker in busy):
            time.sleep(0.1)
        kill_workers(busy)

    if busy:
        threading.Thread(target=wait, daemon=True).start()


lambda_runtime.kill_workers = kill_when_idle
lambda_runtime.Worker.sink = None
lambda_runtime.Worker._spawn = spawn_with_chunks
lambda_runtime.Worker.invoke = invoke_with_chunks

# --- Integrations that stream ----------------------------------------------------------------------------------------

invoke_proxy = gateway._invoke_lambda_proxy_v1


async def invoke_streaming_proxy(integration, *args, **kwargs):
    uri = integration.get("uri", "")
    if not uri.endswith(STREAMING_URI):
        return await invoke_proxy(integration, *args, **kwargs)
    loop = asyncio.get_running_loop()
    chunks = asyncio.Queue()
    chunk_sink.set(lambda chunk: loop.call_soon_threadsafe(chunks.put_nowait, chunk))
    buffered = {**integration, "uri": uri.removesuffix(STREAMING_URI) + "/invocations"}
    call = asyncio.ensure_future(invoke_proxy(buffered, *args, **kwargs))
    call.add_done_callback(lambda _: chunks.put_nowait(None))
    head = await chunks.get()
    if head is None:
        # The function ended or failed without a byte: the gateway answers as it does for any such function.
        return await call

    async def body(send, _receive):
        while (chunk := await chunks.get()) is not None:
            if "end" in chunk:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                return
            data = base64.b64decode(chunk["data"])
            await send({"type": "http.response.body", "body": data, "more_body": True})
        raise RuntimeError("the function broke off its answer")

    metadata = head["metadata"]
    return int(metadata["statusCode"]), dict(metadata.get("headers") or {}), StreamingResponse(body)


gateway._invoke_lambda_proxy_v1 = invoke_streaming_proxy

# --- Resources -------------------------------------------------------------------------------------------------------


def associate(_logical_id, props, _stack):
    waf._associations[props["ResourceArn"]] = props["WebACLArn"]
    return props["ResourceArn"], {}


def disassociate(physical_id, _props):
    waf._associations.pop(physical_id, None)


provisioners._RESOURCE_HANDLERS["AWS::WAFv2::WebACLAssociation"] = {"create": associate, "delete": disassociate}


def log_refusals(logical_id, props, *_):
    """No request is refused here, so there is nothing to log."""
    return props["ResourceArn"], {}


provisioners._RESOURCE_HANDLERS["AWS::WAFv2::LoggingConfiguration"] = {
    "create": log_refusals,
    "delete": lambda *_: None,
}


def note(logical_id, props, stack):
    """People ask the queries and the composites, and a scanner watches uploads: nothing here does."""
    return props.get("AlarmName") or f"{stack}-{logical_id}", {}


for watching in (
    "AWS::Logs::QueryDefinition",
    "AWS::CloudWatch::CompositeAlarm",
    "AWS::GuardDuty::MalwareProtectionPlan",
):
    provisioners._RESOURCE_HANDLERS[watching] = {"create": note, "delete": lambda *_: None}

secret = dict(provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"])


def secret_name(arn):
    """The name in arn:<partition>:secretsmanager:<region>:<account>:secret:<name>-<6 characters>."""
    return arn.split(":", 6)[6].rsplit("-", 1)[0]


def create_secret(logical_id, props, stack):
    """`Ref` of a secret is its ARN (AWS CloudFormation user guide, AWS::SecretsManager::Secret).

    A name that CloudFormation generates for a secret starts with the logical id, without the stack.
    """
    # A policy of an organization or a quota of the account fails a creation so.
    if os.path.exists(os.environ["FAILING_SECRETS"]):
        raise ValueError(f"{logical_id}: planted failure")
    named = {"Name": f"{logical_id}-{uuid.uuid4().hex[:12]}"} | props
    _name, attributes = secret["create"](logical_id, named, stack)
    return attributes["Arn"], attributes


def update_secret(arn, *args, **kwargs):
    _name, attributes = secret["update"](secret_name(arn), *args, **kwargs)
    return attributes["Arn"], attributes


provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"] |= {
    "create": create_secret,
    "update": update_secret,
    "delete": lambda arn, props: secret["delete"](secret_name(arn), props),
}

table = provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]


def as_table(props):
    """A global table with one replica; MiniStack drops the settings of replicas, and with an update the rows."""
    (replica,) = props["Replicas"]
    settings = {key: replica[key] for key in replica if key not in ("Region", "GlobalSecondaryIndexes")}
    return {key: props[key] for key in props if key != "Replicas"} | settings


def create_table(logical_id, props, stack):
    """CloudFormation generates another name in each creation (template reference, Name type). MiniStack drops expiry and recovery."""
    provisioners._NAME_SEED.set(uuid.uuid4().hex[:8])
    settings = as_table(props)
    created = table["create"](logical_id, settings, stack)
    for name, update in (
        ("TimeToLiveSpecification", dynamodb._update_ttl),
        ("PointInTimeRecoverySpecification", dynamodb._update_continuous_backups),
    ):
        if name in settings:
            update({"TableName": created[0], name: settings[name]})
    return created


provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::GlobalTable"] = table | {
    "create": create_table,
    "update": lambda name, old, new, *stack: table["update"](name, as_table(old), as_table(new), *stack),
    "delete": lambda name, props: table["delete"](name, as_table(props)),
}

update_resource = provisioners._update_resource


def update_with_attributes(kind, physical_id, old, new, stack, logical_id=None, attributes=None):
    """MiniStack forgets the attributes of what an update of a nested stack leaves unchanged."""
    known = _stacks[stack]["_resources"].get(logical_id, {}).get("Attributes")
    return update_resource(kind, physical_id, old, new, stack, logical_id, attributes or known)


provisioners._update_resource = update_with_attributes

alarm_record = provisioners._cw_metric_alarm_record


def alarm_record_with_math(name, props):
    """Metric math is stored as an alarm on a metric that nobody raises."""
    if props.get("Metrics"):
        props = {key: value for key, value in props.items() if key != "Metrics"}
        props |= {"MetricName": "MetricMath", "Namespace": "NotEvaluated"}
    return alarm_record(name, props)


provisioners._cw_metric_alarm_record = alarm_record_with_math

role = dict(provisioners._RESOURCE_HANDLERS["AWS::IAM::Role"])


def limited(result, props):
    """MiniStack enforces boundaries, and its CloudFormation drops them. IAM attaches none that does not exist."""
    arn = props.get("PermissionsBoundary")
    if arn is not None and not iam._policy_exists(arn):
        raise ValueError(f"Scope ARN: {arn} does not exist or is not attachable.")
    iam._roles[result[0]]["PermissionsBoundary"] = arn
    return result


provisioners._RESOURCE_HANDLERS["AWS::IAM::Role"] |= {
    "create": lambda logical_id, props, *stack: limited(role["create"](logical_id, props, *stack), props),
    "update": lambda name, old, new, *stack: limited(role["update"](name, old, new, *stack), new),
}

# --- Permissions ------------------------------------------------------------------------------------------------------
# With AUTH=true every role is enforced. The bootstrap's bucket refuses connections without TLS, which loopback is.

pin_request_origin = app.pin_request_origin
app.pin_request_origin = lambda address, _secure: pin_request_origin(address, True)

if __name__ == "__main__":
    stages.install()
    exports.install()
    accounts.install()
    app.main()
