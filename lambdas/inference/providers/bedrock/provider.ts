/** Amazon Bedrock's Converse and ConverseStream through the AWS client, for every model on Bedrock. */
import {
  type BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import type { Feature } from '../../core/fields/need.ts';
import {
  type Provider,
  type RouteAttempt,
  type RouteEvent,
  type RouteResponse,
  UpstreamFailure,
} from '../../core/upstream/provider.ts';
import { CallIds } from '../../core/upstream/tool-calls.ts';
import { boundedResponse } from '../response-bytes.ts';
import { toFailure, toInterruption } from './errors.ts';
import { toConverseCall } from './request.ts';
import { type ConverseCallContext, toRouteResponse } from './response.ts';
import { readRouteEvents } from './stream.ts';

/** The features that Converse supports in addition to a conversation (Amazon Bedrock API reference, Converse). */
export const features: ReadonlySet<Feature> = new Set<Feature>(['documents', 'stop-sequences']);

export interface BedrockDependencies {
  /** The client for an address; an empty one means the function's own region. It sends each request once. */
  readonly bedrockClient: (baseUrl: string) => BedrockRuntimeClient;
}

export function createBedrockProvider({ bedrockClient }: BedrockDependencies): Provider {
  async function chat({
    route,
    payload,
    identity,
    signatures,
    signal,
    maxBytes,
  }: RouteAttempt): Promise<RouteResponse> {
    try {
      signal.throwIfAborted();
      const client = bedrockClient(route.base_url);
      const call = {
        ...toConverseCall(payload.conversation(), route, signatures),
        callIds: new CallIds(identity.id),
      };
      if (payload.stream) return await converseStream(client, { ...call, route, maxBytes }, signal);
      const command = new ConverseCommand(call.request);
      command.middlewareStack.add(boundedResponse(maxBytes), { step: 'deserialize', priority: 'low' });
      const output = await client.send(command, { abortSignal: signal });
      return toRouteResponse(output, call);
    } catch (failure) {
      throw toFailure(failure, signal);
    }
  }

  return { features, chat };
}

async function converseStream(
  client: BedrockRuntimeClient,
  call: ConverseCallContext & Pick<RouteAttempt, 'route' | 'maxBytes'>,
  signal: AbortSignal,
): Promise<RouteResponse> {
  const cancellation = new AbortController();
  try {
    const { guardrailConfig } = call.request;
    const command = new ConverseStreamCommand({
      ...call.request,
      guardrailConfig: guardrailConfig && {
        ...guardrailConfig,
        streamProcessingMode: call.route.guardrail?.stream,
      },
    });
    // With low priority, it receives the response before the client decodes it.
    command.middlewareStack.add(boundedResponse(call.maxBytes), { step: 'deserialize', priority: 'low' });
    command.middlewareStack.add(requireEventStream, { step: 'deserialize', priority: 'low' });
    const { stream } = await client.send(command, {
      abortSignal: AbortSignal.any([signal, cancellation.signal]),
    });
    if (stream === undefined) throw new UpstreamFailure('protocol');
    return { kind: 'stream', batches: connected(readRouteEvents(stream, call), signal, cancellation) };
  } catch (failure) {
    cancellation.abort();
    throw failure;
  }
}

/** The client would decode any body, and take its first bytes for a length: of gigabytes, if they are text. */
const requireEventStream =
  <Args, Result extends { response: unknown }>(next: (args: Args) => Promise<Result>) =>
  async (args: Args): Promise<Result> => {
    const result = await next(args);
    const { statusCode, headers } = Object(result.response) as { statusCode?: number; headers?: Headers };
    const type = headers?.['content-type'] ?? '';
    if (statusCode === 200 && !type.startsWith(EVENT_STREAM)) throw new UpstreamFailure('protocol');
    return result;
  };

type Headers = Readonly<Record<string, string | undefined>>;

/** Amazon Bedrock API reference, ConverseStream; the format is that of Amazon Transcribe, Event stream encoding. */
const EVENT_STREAM = 'application/vnd.amazon.eventstream';

/**
 * Yields each event as a batch, because the client decodes one at a time. A connection that breaks while they are read is
 * an upstream failure, and a reader who leaves frees it.
 */
async function* connected(
  events: AsyncIterable<RouteEvent>,
  signal: AbortSignal,
  cancellation: AbortController,
): AsyncGenerator<readonly RouteEvent[], void> {
  let complete = false;
  try {
    for await (const event of events) yield [event];
    complete = true;
  } catch (failure) {
    throw toInterruption(failure, signal);
  } finally {
    if (!complete) cancellation.abort();
  }
}
