"""AWS CodeDeploy for Lambda, and the alarms that it listens to, beside MiniStack, which has neither.

Acted out, from the resources of the template and as AWS documents them: an update of an alias that has the policy
CodeDeployLambdaAliasUpdate is a deployment (CloudFormation user guide, UpdatePolicy attribute); its group's configuration
sends one call in ten to the new version for some minutes, then all; an alarm of the group ends it; where the group rolls
back on alarms, the alias is moved back (CodeDeploy user guide, deployment configurations, alarms, automatic rollbacks). The
alarms are evaluated from their own definitions, on metrics of calls that came through API Gateway (Lambda developer
guide, "ExecutedVersion"; API Gateway developer guide, metrics).

Time is counted in calls: a minute passes with every CALLS_A_MINUTE calls of the gateway, however fast the machine is.
Not acted out: the role of the group, hooks, linear configurations, statistics other than sums, and chance: Lambda draws
the version of each call, here exactly each tenth call goes to the new one.
"""

import ast
import math
import operator
import re
import threading
from collections import defaultdict

from ministack.services import apigateway_v1 as gateway
from ministack.services import cloudwatch, lambda_svc
from ministack.services.cloudformation import _stacks, provisioners, stacks

# Six of them reach a version that has one in ten: enough for the share of errors that an alarm asks for.
CALLS_A_MINUTE = 60

# Nobody calls: a deployment would wait for ever.
STALLED_SECONDS = 60

COMPARISONS = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanOrEqualToThreshold": operator.le,
    "LessThanThreshold": operator.lt,
}

# --- Metrics, by the number of the call that they were of --------------------------------------------------------------

clock = threading.Condition()
calls = 0
points = defaultdict(list)


def series(namespace, name, dimensions):
    return namespace, name, frozenset(dimensions.items())


def emit(namespace, values, *dimension_sets):
    for dimensions in dimension_sets:
        for name, value in values.items():
            points[series(namespace, name, dimensions)].append((calls, value))


def total(namespace, name, dimensions, window):
    """The sum of a metric over a window of calls; None where it has no data."""
    found = [value for at, value in points[series(namespace, name, dimensions)] if window[0] <= at < window[1]]
    return sum(found) if found else None


def tick():
    """One more call has been answered; at the end of a minute the alarms are evaluated."""
    global calls
    with clock:
        calls += 1
        if calls % CALLS_A_MINUTE == 0:
            for name in {name for group in groups.values() for name in alarms_of(group)}:
                evaluate(name)
        clock.notify_all()


# --- Alarms ------------------------------------------------------------------------------------------------------------

definitions = {}
alarm_record = None


def recorded_alarm(name, props):
    definitions[name] = props
    return alarm_record(name, props)


def summed(stat, window):
    if stat.get("Stat", stat.get("Statistic")) != "Sum":
        raise ValueError(f"a statistic that is not acted out: {stat}")
    metric = stat.get("Metric", stat)
    dimensions = {each["Name"]: each["Value"] for each in metric.get("Dimensions", [])}
    return total(metric["Namespace"], metric["MetricName"], dimensions, window)


OPERATORS = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv},
    **{ast.GtE: operator.ge, ast.Gt: operator.gt, ast.LtE: operator.le, ast.Lt: operator.lt},
}


class MissingData(Exception):
    """A metric has no data, and nothing fills it."""


def filled(node, values, default):
    try:
        return computed(node, values)
    except MissingData:
        return computed(default, values)


def computed(node, values):
    """Metric math, which Python parses, as far as numbers, names, arithmetic, comparisons, IF and FILL go."""
    match node:
        case ast.Constant(value):
            return value
        case ast.Name(name):
            if values[name] is None:
                raise MissingData
            return values[name]
        case ast.Call(ast.Name("FILL"), [metric, default], []):
            return filled(metric, values, default)
        case ast.BinOp(left, sign, right) if type(sign) in OPERATORS:
            return OPERATORS[type(sign)](computed(left, values), computed(right, values))
        case ast.Compare(left, [sign], [right]) if type(sign) in OPERATORS:
            return OPERATORS[type(sign)](computed(left, values), computed(right, values))
        case ast.Call(ast.Name("IF"), [condition, then, otherwise], []):
            return computed(then if computed(condition, values) else otherwise, values)
    raise ValueError(f"metric math that is not acted out: {ast.dump(node)}")


def period_of(alarm):
    """In seconds: that of the alarm, or of the metrics in its expression."""
    stats = [each["MetricStat"] for each in alarm.get("Metrics", []) if "MetricStat" in each]
    return max(int(each["Period"]) for each in stats or [alarm])


def value_in(alarm, window):
    """What the alarm compares with its threshold; None where there is no data."""
    if "Metrics" not in alarm:
        return summed(alarm, window)
    values = {each["Id"]: summed(each["MetricStat"], window) for each in alarm["Metrics"] if "MetricStat" in each}
    (expression,) = [each["Expression"] for each in alarm["Metrics"] if "Expression" in each]
    try:
        return computed(ast.parse(expression, mode="eval").body, values)
    except MissingData:
        return None


def evaluate(name):
    """Sets the state of an alarm from the periods that end with this call."""
    alarm = definitions[name]
    count = int(alarm["EvaluationPeriods"])
    length = math.ceil(period_of(alarm) / 60) * CALLS_A_MINUTE
    windows = [(calls - length * (back + 1), calls - length * back) for back in range(count)]
    breaches = COMPARISONS[alarm["ComparisonOperator"]]
    missing = alarm.get("TreatMissingData", "missing")
    found = [value_in(alarm, window) for window in windows]
    if all(value is None for value in found) and missing in ("missing", "ignore"):
        return
    breached = [
        missing == "breaching" if value is None else breaches(value, float(alarm["Threshold"])) for value in found
    ]
    state = "ALARM" if sum(breached) >= int(alarm.get("DatapointsToAlarm", count)) else "OK"
    record = cloudwatch._alarms.get(name)
    if record is not None and record["StateValue"] != state:
        cloudwatch._record_history(name, record["StateValue"], state, f"the periods had {found}")
        record["StateValue"] = state


def is_raised(name):
    record = cloudwatch._alarms.get(name)
    return record is not None and record["StateValue"] == "ALARM"


# --- Calls of an alias -------------------------------------------------------------------------------------------------

shares = defaultdict(float)
call_function = gateway._call_lambda_raw
invoke_proxy = None


def aliased(reference):
    """The name of the function and the record of the alias that a reference ends in, or None."""
    name, qualifier = lambda_svc._resolve_name_and_qualifier(reference)
    function = lambda_svc._functions.get(name)
    return (name, function["aliases"].get(qualifier)) if function and qualifier else (name, None)


def drawn_version(alias):
    """The version that takes this call."""
    for version, weight in alias.get("RoutingConfig", {}).get("AdditionalVersionWeights", {}).items():
        shares[alias["AliasArn"]] += weight
        # Ten tenths make a little less than one.
        if shares[alias["AliasArn"]] > 0.999:
            shares[alias["AliasArn"]] -= 1
            return version
    return alias["FunctionVersion"]


async def call_by_alias(reference, event, **scope):
    name, alias = aliased(reference)
    if alias is None:
        return await call_function(reference, event, **scope)
    version = drawn_version(alias)
    result, error = await call_function(f"{reference.rsplit(':', 1)[0]}:{version}", event, **scope)
    called = {"FunctionName": name, "Resource": f"{name}:{alias['Name']}"}
    throttled = bool(result and result.get("throttle"))
    emit("AWS/Lambda", {"Throttles": int(throttled)}, called)
    if result and not throttled:
        values = {"Invocations": 1, "Errors": int(bool(result.get("error")))}
        emit("AWS/Lambda", values, called, {**called, "ExecutedVersion": version})
    return result, error


async def counted_proxy(integration, api_id, *args, **kwargs):
    answer = await invoke_proxy(integration, api_id, *args, **kwargs)
    api = gateway._rest_apis.get(api_id) or {}
    # The gateway's own error, which has no status yet, is one of a role that allows too little.
    failed = not isinstance(answer, tuple) or answer[0] >= 500
    emit("AWS/ApiGateway", {"Count": 1, "5XXError": int(failed)}, {"ApiName": api.get("name")})
    tick()
    return answer


# --- Deployments -------------------------------------------------------------------------------------------------------

groups = {}
deployments = 0
update_alias = provisioners._lambda_alias_update


def alarms_of(group):
    """The names of the alarms that a group listens to."""
    configuration = group.get("AlarmConfiguration") or {}
    return [each["Name"] for each in configuration.get("Alarms", [])] if configuration.get("Enabled") else []


def rolls_back_on(group, event):
    configuration = group.get("AutoRollbackConfiguration") or {}
    return bool(configuration.get("Enabled")) and event in configuration.get("Events", [])


def canary_of(group):
    """The share and the minutes of the first step, by the name of one of AWS's own configurations."""
    name = group["DeploymentConfigName"]
    if name == "CodeDeployDefault.LambdaAllAtOnce":
        return 1.0, 0
    found = re.fullmatch(r"CodeDeployDefault\.LambdaCanary(\d+)Percent(\d+)Minutes", name)
    if found is None:
        raise ValueError(f"a deployment configuration that is not acted out: {name}")
    return int(found[1]) / 100, int(found[2])


def group_of(stack_name, logical_id):
    """The deployment group that an alias names in its update policy, or None."""
    definition = provisioners._cfn_wait_condition_definition(stack_name, logical_id)
    policy = (definition.get("UpdatePolicy") or {}).get("CodeDeployLambdaAliasUpdate")
    if policy is None:
        return None
    resources = _stacks[stack_name]["_resources"]
    names = [policy[key] for key in ("ApplicationName", "DeploymentGroupName")]
    return groups[tuple(resources[each["Ref"]]["PhysicalResourceId"] if isinstance(each, dict) else each for each in names)]


def wait_for_calls(count):
    """Waits until this many more calls have been answered."""
    with clock:
        end = calls + count
        while calls < end:
            if not clock.wait(STALLED_SECONDS):
                raise ValueError("a change waits for calls to be answered, and there are none")


def raised_before(group, minutes):
    """Waits until this many minutes have begun, or alarms of the group are raised, whose names it returns."""
    with clock:
        end = (math.ceil(calls / CALLS_A_MINUTE) + minutes) * CALLS_A_MINUTE
        while True:
            raised = sorted(name for name in alarms_of(group) if is_raised(name))
            if raised or calls >= end:
                return raised
            if not clock.wait(STALLED_SECONDS):
                raise ValueError("a deployment waits for its minutes, and there are no calls")


def deploy_alias(physical_id, old_props, new_props, stack_name, logical_id=None):
    """Moves an alias as its group says; an error fails the update of the stack, as a failed deployment does."""
    global deployments
    group = group_of(stack_name, logical_id)
    old, new = old_props.get("FunctionVersion"), new_props.get("FunctionVersion")
    if group is None or old == new:
        return update_alias(physical_id, old_props, new_props, stack_name, logical_id)
    deployments += 1
    share, minutes = canary_of(group)
    name, alias = aliased(physical_id)
    shares[physical_id] = 0
    # The canary begins with a minute, so that the first one has all of its calls.
    raised = raised_before(group, 0)
    if not raised and minutes > 0:
        set_alias(name, alias, old, {new: share})
        raised = raised_before(group, minutes)
    if not raised:
        set_alias(name, alias, new, {})
        return physical_id, {"AliasArn": physical_id}
    outcome = "left as it was then"
    if rolls_back_on(group, "DEPLOYMENT_STOP_ON_ALARM"):
        set_alias(name, alias, old, {})
        outcome = "rolled back"
    raise ValueError(f"deployment d-{deployments} was stopped by {', '.join(raised)} and {outcome}")


def set_alias(name, alias, version, weights):
    routing = {"AdditionalVersionWeights": weights}
    lambda_svc._update_alias(name, alias["Name"], {"FunctionVersion": version, "RoutingConfig": routing})


def create_application(_logical_id, props, _stack):
    return props["ApplicationName"], {}


def create_group(_logical_id, props, _stack):
    groups[props["ApplicationName"], props["DeploymentGroupName"]] = props
    return props["DeploymentGroupName"], {}


def delete_group(_physical_id, props):
    groups.pop((props["ApplicationName"], props["DeploymentGroupName"]), None)


def install():
    """Puts all of this into the emulator, over what the launcher has changed of it."""
    global invoke_proxy, alarm_record, runs_on_worker_thread
    runs_on_worker_thread = stacks._runs_on_worker_thread
    invoke_proxy = gateway._invoke_lambda_proxy_v1
    gateway._invoke_lambda_proxy_v1 = counted_proxy
    gateway._call_lambda_raw = call_by_alias
    alarm_record = provisioners._cw_metric_alarm_record
    provisioners._cw_metric_alarm_record = recorded_alarm
    # A deployment lasts: meanwhile calls are to be answered.
    stacks._runs_on_worker_thread = lambda kind: kind == "AWS::Lambda::Alias" or runs_on_worker_thread(kind)
    provisioners._RESOURCE_HANDLERS["AWS::Lambda::Alias"]["update"] = deploy_alias
    provisioners._RESOURCE_HANDLERS["AWS::CodeDeploy::Application"] = {
        "create": create_application,
        "delete": lambda *_: None,
    }
    provisioners._RESOURCE_HANDLERS["AWS::CodeDeploy::DeploymentGroup"] = {
        "create": create_group,
        "update": lambda _id, _old, props, stack: create_group(None, props, stack),
        "delete": delete_group,
    }
