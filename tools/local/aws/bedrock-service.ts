/** Checks calls of models on AWS against IAM and forwards them to the simulated provider. */
import type { IncomingHttpHeaders } from 'node:http';
import { regionalArn } from '../assembly/identities.ts';
import { relay } from '../relay.ts';
import { neededBedrockAccess } from './bedrock-access.ts';
import type { NeededAccess } from './dynamodb-access.ts';
import type { AwsCall, AwsServiceHandler } from './endpoint.ts';
import { AwsError } from './errors.ts';

/** The headers that belong to one connection and are created again for the next (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = ['connection', 'content-length', 'expect', 'host', 'keep-alive', 'transfer-encoding'];

type UpstreamUrl = (() => Promise<string>) | undefined;

/**
 * The services that serve models, by the names that calls are signed for. `upstreamUrl` gives the provider's address;
 * without it there are no models, and every call says so.
 */
export const createModelServices = (
  upstreamUrl: UpstreamUrl,
): Readonly<Record<string, AwsServiceHandler>> => ({
  bedrock: forwarding(upstreamUrl, neededBedrockAccess),
  // The default project of the account (service authorization reference, Amazon Bedrock Powered by AWS Mantle).
  'bedrock-mantle': forwarding(upstreamUrl, () => [
    {
      action: 'bedrock-mantle:CreateInference',
      resourceArn: regionalArn('bedrock-mantle', 'project/default'),
    },
  ]),
  // The workspace that the call names (Claude Platform on AWS user guide, IAM policies).
  'aws-external-anthropic': forwarding(upstreamUrl, ({ headers }) => [
    {
      action: 'aws-external-anthropic:CreateInference',
      resourceArn: regionalArn('aws-external-anthropic', `workspace/${headers['anthropic-workspace-id']}`),
    },
  ]),
  // Neither action takes a resource (Amazon Polly API permissions reference).
  polly: forwarding(upstreamUrl, ({ method }) => [
    { action: method === 'GET' ? 'polly:DescribeVoices' : 'polly:SynthesizeSpeech', resourceArn: '*' },
  ]),
});

const unavailable = (message: string) => new AwsError('ServiceUnavailableException', message, 503);

function forwarding(
  upstreamUrl: UpstreamUrl,
  neededBy: (call: AwsCall) => readonly NeededAccess[],
): AwsServiceHandler {
  return async (call, response) => {
    permit(call, neededBy(call));
    if (upstreamUrl === undefined)
      throw unavailable('the local runtime has no Bedrock: it was started without the simulated provider');
    const { method, path, body, headers } = call;
    const url = new URL(path, await upstreamUrl());
    try {
      return await relay({ url, method, headers: onwardHeaders(headers, body), body }, response);
    } catch (cause) {
      throw unavailable(`the simulated provider does not answer: ${(cause as Error).message}`);
    }
  };
}

/** Rejects with status 403 like a service with a REST API; the JSON protocol has 400. */
function permit({ authorize }: AwsCall, needed: readonly NeededAccess[]): void {
  try {
    for (const { action, resourceArn } of needed) authorize(action, resourceArn);
  } catch (denied) {
    throw denied instanceof AwsError ? new AwsError(denied.type, denied.message, 403) : denied;
  }
}

const onwardHeaders = (headers: IncomingHttpHeaders, body: Buffer) => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name))),
  'content-length': body.length,
});
