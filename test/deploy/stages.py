"""Stages of API Gateway and the roles in which they call, which MiniStack does not tell apart from the API's methods.

Acted out, as AWS documents it: a stage calls what the methods of its deployment called when that was created, not what
they call now (API Gateway developer guide, deploying REST APIs); a method that names a role calls in it, and what the
role's policy does not allow at that moment is answered as an error of the configuration (the same guide, API Gateway
permissions model). Not acted out: how long IAM and API Gateway take to spread a change.
"""

import copy
import json

from ministack.core.iam_evaluator import EvalContext, _gather_role_policies, evaluate
from ministack.services import apigateway_v1 as gateway

# The methods of each deployment by resource, by the ids of the API and of the deployment.
deployed = {}

create_deployment = gateway._create_deployment
invoke_proxy = None


def create_deployment_with_methods(api_id, data):
    answer = create_deployment(api_id, data)
    deployment_id = json.loads(answer[2]).get("id")
    resources = gateway._resources.get(api_id, {})
    deployed[api_id, deployment_id] = {
        each: copy.deepcopy(resource.get("resourceMethods", {})) for each, resource in resources.items()
    }
    return answer


def is_allowed(role, function):
    _arn, _partition, _service, region, account, _name = function.split(":", 5)
    context = EvalContext(
        principal_arn=role,
        principal_type="AssumedRole",
        principal_account=account,
        action="lambda:InvokeFunction",
        resource_arn=function,
        region=region,
    )
    return evaluate(context, _gather_role_policies(role.rsplit("/", 1)[1], account)).decision == "Allow"


async def invoke_as_deployed(integration, api_id, name, stage, resource, path, method, *args, **kwargs):
    methods = deployed[api_id, stage["deploymentId"]].get(resource["id"], {})
    deployed_method = methods.get(method) or methods.get("ANY") or {"methodIntegration": integration}
    called = deployed_method["methodIntegration"]
    uri = called["uri"]
    function = uri.split("/functions/", 1)[1].rsplit("/", 1)[0]
    if not called["credentials"] or not is_allowed(called["credentials"], function):
        return gateway._gw_error("API_CONFIGURATION_ERROR", "Internal server error")
    return await invoke_proxy(called, api_id, name, stage, resource, path, method, *args, **kwargs)


def install():
    """Puts all of this into the emulator, over what the launcher has changed of it."""
    global invoke_proxy
    invoke_proxy = gateway._invoke_lambda_proxy_v1
    gateway._invoke_lambda_proxy_v1 = invoke_as_deployed
    gateway._create_deployment = create_deployment_with_methods
