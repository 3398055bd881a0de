/** The calls of an API to its functions, in a dedicated role, streamed or buffered. */
import { Duration, Validations } from 'aws-cdk-lib';
import {
  AwsIntegration,
  type Integration,
  type IntegrationOptions,
  type Resource,
  ResponseTransferMode,
} from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { STREAM_TIMEOUT_SECONDS } from '../../../lambdas/platform/contract/environment.ts';
import type { Route } from '../../../lambdas/platform/contract/route.ts';

export class ApiCalls {
  readonly #calls = new PolicyStatement({ actions: ['lambda:InvokeFunction'] });
  readonly #role: Role;
  /** Handles unknown paths and methods. */
  readonly fallback: Integration;

  /** Puts the role into the scope, which contains the methods that call in it. */
  constructor(scope: Construct, fallback: IFunction) {
    this.#role = new Role(scope, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { Calls: new PolicyDocument({ statements: [this.#calls] }) },
    });
    this.fallback = this.#buffered(fallback);
    const accept = (id: string, reason: string) => Validations.of(scope).acknowledge({ id, reason });
    accept('AwsSolutions-APIG4', 'API keys are verified by the function, offline, before any other work.');
    accept('AwsSolutions-COG4', 'Callers hold API keys, not Cognito identities.');
  }

  /** Serves a row of the route table by a function or its alias; other methods of its path use the fallback. */
  serve(resource: Resource, route: Route, target: IFunction): void {
    resource.addMethod(
      route.method,
      route.response === 'streamed' ? this.#streamed(target) : this.#buffered(target),
    );
    if (resource.node.tryFindChild('ANY') === undefined) resource.addMethod('ANY', this.fallback);
  }

  #buffered(target: IFunction): Integration {
    return this.#calling(target, '2015-03-31', 'invocations');
  }

  #streamed(target: IFunction): Integration {
    return this.#calling(target, '2021-11-15', 'response-streaming-invocations', {
      responseTransferMode: ResponseTransferMode.STREAM,
      timeout: Duration.seconds(STREAM_TIMEOUT_SECONDS),
    });
  }

  /** The versions are those of Lambda's `Invoke` and `InvokeWithResponseStream` (Lambda API reference). */
  #calling(target: IFunction, version: string, action: string, options?: IntegrationOptions): Integration {
    const { functionArn } = target;
    if (!this.#calls.resources.includes(functionArn)) this.#calls.addResources(functionArn);
    return new AwsIntegration({
      service: 'lambda',
      path: `${version}/functions/${functionArn}/${action}`,
      proxy: true,
      options: { ...options, credentialsRole: this.#role },
    });
  }
}
