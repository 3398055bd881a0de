/**
 * The calls of an API to its functions, in a dedicated role, streamed or buffered. During an update the deployed stage
 * calls what it called before, under the policy that the role has by then: CloudFormation changes the role first and the
 * stage last. So no setting changes what the policy allows.
 */
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
    this.#allow(fallback.functionArn);
    this.fallback = this.#buffered(fallback.functionArn);
    const accept = (id: string, reason: string) => Validations.of(scope).acknowledge({ id, reason });
    accept('AwsSolutions-APIG4', 'API keys are verified by the function, offline, before any other work.');
    accept('AwsSolutions-COG4', 'Callers hold API keys, not Cognito identities.');
  }

  /** Serves a row of the route table by a function; other methods of its path use the fallback. */
  serve(resource: Resource, route: Route, { functionArn: arn }: IFunction): void {
    this.#allow(arn);
    resource.addMethod(
      route.method,
      route.response === 'streamed' ? this.#streamed(arn) : this.#buffered(arn),
    );
    if (resource.node.tryFindChild('ANY') === undefined) resource.addMethod('ANY', this.fallback);
  }

  #allow(arn: string): void {
    if (!this.#calls.resources.includes(arn)) this.#calls.addResources(arn);
  }

  #buffered(arn: string): Integration {
    return this.#calling(arn, '2015-03-31', 'invocations');
  }

  #streamed(arn: string): Integration {
    return this.#calling(arn, '2021-11-15', 'response-streaming-invocations', {
      responseTransferMode: ResponseTransferMode.STREAM,
      timeout: Duration.seconds(STREAM_TIMEOUT_SECONDS),
    });
  }

  /** The versions are those of Lambda's `Invoke` and `InvokeWithResponseStream` (Lambda API reference). */
  #calling(arn: string, version: string, action: string, options?: IntegrationOptions): Integration {
    return new AwsIntegration({
      service: 'lambda',
      path: `${version}/functions/${arn}/${action}`,
      proxy: true,
      options: { ...options, credentialsRole: this.#role },
    });
  }
}
