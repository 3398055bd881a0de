/** The REST APIs of a template, read back as methods of paths. */
import type { FunctionName } from '../../lib/config/grants.ts';
import { joined, type StackName, type SynthesizedApp } from './synthesized-app.ts';

export interface Method {
  readonly method: string;
  readonly path: string;
  readonly endpoint: FunctionName;
  readonly functionId: string;
  readonly authorization: unknown;
  readonly integration: Readonly<Record<string, unknown>>;
}

/** `streamed` when the integration invokes through the response streaming API. */
export interface Invocation {
  readonly functionId: string;
  readonly streamed: boolean;
}

const BUFFERED = /:lambda:path\/2015-03-31\/functions\/<(\w+)\.Arn>\/invocations$/;
const STREAMED = /:lambda:path\/2021-11-15\/functions\/<(\w+)\.Arn>\/response-streaming-invocations$/;

export function invocationOf(uri: string): Invocation {
  const [, buffered] = BUFFERED.exec(uri) ?? [];
  const [, streamed] = STREAMED.exec(uri) ?? [];
  const functionId = buffered ?? streamed;
  if (functionId === undefined) throw new Error(`${uri} invokes no function`);
  return { functionId, streamed: streamed !== undefined };
}

/** Every method of the stack's API. */
export function methodsOf(app: SynthesizedApp, stack: StackName): Method[] {
  const { Resources: resources } = app.templates[stack];
  const pathOf = (expression: unknown): string => {
    const reference = app.reference(stack, expression);
    if (reference === undefined || reference.attribute === 'RootResourceId') return '';
    const { ParentId: parent, PathPart: part } = resources[reference.id]?.Properties ?? {};
    return `${pathOf(parent)}/${String(part)}`;
  };
  return app.resources(stack, 'AWS::ApiGateway::Method').map(([, { Properties: method }]) => {
    const integration = method.Integration as Record<string, unknown>;
    const { functionId } = invocationOf(joined(integration.Uri));
    return {
      method: String(method.HttpMethod),
      path: pathOf(method.ResourceId) || '/',
      endpoint: app.functionName(stack, functionId),
      functionId,
      authorization: method.AuthorizationType,
      integration,
    };
  });
}
