/**
 * A regional REST API over the route table: streamed or buffered integrations, our errors, no keys in logs. It calls
 * its functions in a dedicated role instead of a permission on each function. Such a permission would be one of the 500
 * resources of a stack, for each function.
 */
import { CfnOutput, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  EndpointType,
  LogGroupLogDestination,
  type Resource,
  ResponseType,
  RestApi,
  SecurityPolicy,
  type Stage,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { GATEWAY_ERRORS, gatewayErrorBody } from '../../../lambdas/platform/contract/gateway-errors.ts';
import { SECURITY_HEADERS } from '../../../lambdas/platform/contract/limits.ts';
import type { Route } from '../../../lambdas/platform/contract/route.ts';
import { streamsPerSecond } from '../../config/concurrency.ts';
import type { Config } from '../../config/config.ts';
import { ApiCalls } from './api-calls.ts';

/** Keys travel in headers and in `/credits/{api_key}`, so the log names the resource, never the path. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    // No caller can choose this one; it is in `x-amz-apigw-id` of the response.
    extendedRequestId: '$context.extendedRequestId',
    // Lambda's own, by which the function's log names the call, also where the function died.
    functionRequestId: '$context.integration.requestId',
    time: '$context.requestTime',
    method: '$context.httpMethod',
    resource: '$context.resourcePath',
    status: '$context.status',
    error: '$context.error.responseType',
    responseBytes: '$context.responseLength',
    latencyMs: '$context.responseLatency',
    integrationLatencyMs: '$context.integrationLatency',
  }),
);

export interface EndpointApiProps {
  readonly config: Config;
  readonly name: string;
  /** The API's own name, if it has one. */
  readonly domainName: string | undefined;
  /** Handles unknown paths and methods. */
  readonly fallback: IFunction;
  /** The routes that it will serve. */
  readonly routes: readonly Route[];
}

/**
 * Returns the throttles of streamed routes. Paid calls occupy a function for as long as their route writes: if the
 * account's concurrency is set, it determines their throttle.
 */
function streamThrottles(config: Config, routes: readonly Route[]): Pick<StageOptions, 'methodOptions'> {
  if (config.lambdaConcurrency === undefined) return {};
  const rate = streamsPerSecond(config);
  const paid = routes.filter((route) => route.paid === true);
  return {
    methodOptions: Object.fromEntries(
      paid.map(({ method, path }) => [
        `${path}/${method}`,
        { throttlingRateLimit: rate, throttlingBurstLimit: rate, metricsEnabled: false },
      ]),
    ),
  };
}

export class EndpointApi extends Construct {
  readonly #api: RestApi;
  readonly #calls: ApiCalls;
  readonly accessLogs: LogGroup;

  constructor(scope: Construct, id: string, props: EndpointApiProps) {
    super(scope, id);
    this.accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: props.config.logRetentionDays,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.#api = new RestApi(this, 'Rest', {
      restApiName: props.name,
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      // Forms contain files, which must reach a function byte by byte.
      binaryMediaTypes: ['multipart/form-data'],
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: props.config.stage,
        accessLogDestination: new LogGroupLogDestination(this.accessLogs),
        accessLogFormat: ACCESS_LOG,
        // What alarms and graphs read of an API is there without; a metric for each method would be charged for.
        metricsEnabled: false,
        throttlingRateLimit: props.config.requestsPerSecond,
        throttlingBurstLimit: props.config.requestsPerSecond,
        ...streamThrottles(props.config, props.routes),
        tracingEnabled: props.config.tracing,
      },
    });
    this.#calls = new ApiCalls(this, props.fallback);
    // The root is no path of `{proxy+}`.
    this.#api.root.addMethod('ANY', this.#calls.fallback);
    this.#api.root.addResource('{proxy+}').addMethod('ANY', this.#calls.fallback);
    if (props.domainName !== undefined) this.#serveAs(props.domainName, props.config);
    this.#addGatewayErrors();
    this.#acknowledge();
  }

  get id(): string {
    return this.#api.restApiId;
  }

  /** Returns the hostname of the API; its paths start with the stage's name. */
  get hostname(): string {
    const { region, urlSuffix } = Stack.of(this);
    return `${this.id}.execute-api.${region}.${urlSuffix}`;
  }

  get stage(): Stage {
    return this.#api.deploymentStage;
  }

  /** Returns the resource of a path, which is created in this stack if there is none. */
  at(path: string): Resource {
    return this.#api.root.resourceForPath(path) as Resource;
  }

  /** Serves a row of the route table by a function; other methods of its path use the fallback. */
  addRoute(route: Route, target: IFunction): void {
    this.#calls.serve(this.at(route.path), route, target);
  }

  /** Serves the API at the root of a domain name; the operator points the name to the output. */
  #serveAs(domainName: string, { domains }: Config): void {
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', domains?.certificateArn ?? '');
    const domain = this.#api.addDomainName('Domain', {
      domainName,
      certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new CfnOutput(this, 'DomainTarget', { value: domain.domainNameAliasDomainName });
  }

  #addGatewayErrors(): void {
    for (const error of GATEWAY_ERRORS) {
      this.#api.addGatewayResponse(error.responseType, {
        type: ResponseType.of(error.responseType),
        ...(error.status === undefined ? {} : { statusCode: String(error.status) }),
        responseHeaders: {
          'x-request-id': 'context.requestId',
          'request-id': 'context.requestId',
          ...Object.fromEntries(
            Object.entries(SECURITY_HEADERS).map(([name, value]) => [name, `'${value}'`]),
          ),
          ...(error.retryAfterSeconds === undefined ? {} : { 'Retry-After': `'${error.retryAfterSeconds}'` }),
        },
        templates: { 'application/json': gatewayErrorBody(error, '$context.requestId') },
      });
    }
  }

  #acknowledge(): void {
    const accept = (id: string, reason: string) => Validations.of(this.#api).acknowledge({ id, reason });
    accept(
      'AwsSolutions-APIG2',
      'Bodies are validated by the function, which names the field in our own envelope.',
    );
    accept(
      'AwsSolutions-APIG6',
      'Execution logs can hold keys and bodies; access logs and metrics are on instead.',
    );
    accept(
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      'API Gateway takes no narrower role for its account-wide log delivery.',
    );
  }
}
