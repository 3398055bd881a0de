/** Checks calls of models on AWS against IAM and forwards them to the simulated provider, bytes in and bytes out as they come. */
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { neededBedrockAccess, neededClaudePlatformAccess, neededMantleAccess } from './bedrock-access.ts';
import type { Authorize } from './callers.ts';
import type { NeededAccess } from './dynamodb-access.ts';
import type { AwsCall, AwsServiceHandler } from './endpoint.ts';
import { AwsError } from './errors.ts';

/** The headers that belong to one connection and are created again for the next (RFC 9110, section 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

type UpstreamUrl = (() => Promise<string>) | undefined;

/** `upstreamUrl` gives the provider's address; without it there is no Bedrock, and every call says so. */
export const createBedrockService = (upstreamUrl: UpstreamUrl): AwsServiceHandler =>
  forwarding(upstreamUrl, neededBedrockAccess);

/** The other services that serve models, by the names that calls are signed for; addresses as for Bedrock. */
export const createModelServices = (
  upstreamUrl: UpstreamUrl,
): Readonly<Record<string, AwsServiceHandler>> => ({
  'bedrock-mantle': forwarding(upstreamUrl, neededMantleAccess),
  'aws-external-anthropic': forwarding(upstreamUrl, ({ headers }) =>
    neededClaudePlatformAccess(headers['anthropic-workspace-id']),
  ),
});

function forwarding(
  upstreamUrl: UpstreamUrl,
  neededBy: (call: AwsCall) => readonly NeededAccess[],
): AwsServiceHandler {
  return async (call, response) => {
    const { path, body, headers, authorize } = call;
    for (const { action, resourceArn } of neededBy(call)) permit(authorize, action, resourceArn);
    if (upstreamUrl === undefined)
      throw new AwsError(
        'ServiceUnavailableException',
        'the local runtime has no Bedrock: it was started without the simulated provider',
        503,
      );
    const httpResponse = await forward(new URL(path, await upstreamUrl()), body, headers);
    response.writeHead(httpResponse.status, endToEnd(Object.fromEntries(httpResponse.headers)));
    // Headers leave before the first event does, as they do at the provider.
    response.flushHeaders();
    if (httpResponse.body === null) response.end();
    else await pipeline(Readable.fromWeb(httpResponse.body), response);
  };
}

/** Rejects with status 403 like a service with a REST API; the JSON protocol has 400. */
function permit(authorize: Authorize, action: string, resourceArn: string): void {
  try {
    authorize(action, resourceArn);
  } catch (denied) {
    throw denied instanceof AwsError ? new AwsError(denied.type, denied.message, 403) : denied;
  }
}

async function forward(url: URL, body: Buffer, headers: IncomingHttpHeaders): Promise<Response> {
  try {
    return await fetch(url, { method: 'POST', headers: endToEnd(headers), body: new Uint8Array(body) });
  } catch (cause) {
    const { message } = cause as Error;
    throw new AwsError(
      'ServiceUnavailableException',
      `the simulated provider does not answer: ${message}`,
      503,
    );
  }
}

const endToEnd = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name) ? [] : [[name, String(value)]],
    ),
  );
