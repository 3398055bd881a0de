/** Answers of the Responses format as its callers see them. */
import OpenAI from 'openai';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { AssistantOutput } from '../../../core/upstream/conversation.ts';
import { OutputItemSealer } from '../../../formats/responses/output/items.ts';
import { responsesWriter } from '../../../formats/responses/output/response-writer.ts';
import { ResponsesStreamEncoder } from '../../../formats/responses/output/sse.ts';
import type { ResponsesRequest } from '../../../formats/responses/request.ts';
import { ToolNames } from '../../../formats/responses/tool-names.ts';
import { PLAIN_SEALED_TOKENS } from '../../upstream/plain-sealed-tokens.ts';
import { partsOf, type Step } from '../../upstream/stream-script.ts';
import { framesOf } from '../frames.ts';

const NOW_MS = 1_700_000_000_999;
const USAGE = { promptTokens: 20, cachedTokens: 5, completionTokens: 9, reasoningTokens: 4 };
const COST = 1_234_567n;

/** One call of these fields; what writes its answer, made anew for each answer. */
export function createWriter(
  fields: Partial<ResponsesRequest> = {},
  sealedTokens = PLAIN_SEALED_TOKENS,
  losesEffort = false,
) {
  const request = { model: 'a/b', input: 'Hi', ...fields } as ResponsesRequest;
  const outgoing = new OutputItemSealer(request, sealedTokens);
  const names = new ToolNames(request.tools ?? []);
  const options = { request, responseId: 'resp_01J', createdMs: NOW_MS };
  const stream = new ResponsesStreamEncoder(options, outgoing);
  const written = { ...options, clock: () => NOW_MS + 2_000, names, outgoing };
  const identity = { id: 'resp_01J', model: 'a/served' };
  return { stream, writer: responsesWriter(written, { identity, losesEffort: () => losesEffort }) };
}

export type ResponsesDocument = JsonObject & { readonly output: readonly JsonObject[] };

export const completeBody = (
  assistantReply: AssistantOutput,
  fields: Partial<ResponsesRequest> = {},
): ResponsesDocument => JSON.parse(createWriter(fields).writer.body({ output: assistantReply }, USAGE));

export interface Failing {
  readonly failure?: Error;
}

/** The frames of payloads, as a host writes them: a failure is the last event. */
export async function readSseEvents(
  payloads: readonly JsonObject[],
  { stream }: Pick<ReturnType<typeof createWriter>, 'stream'>,
  { failure }: Failing = {},
): Promise<string[]> {
  const sseEvents: string[] = [];
  try {
    for (const sseEvent of framesOf(stream, payloads, { usage: USAGE, cost: COST, failure }))
      sseEvents.push(sseEvent);
  } catch (thrown) {
    const error = { message: String(thrown), type: 'service_unavailable', code: 'all_routes_failed' };
    sseEvents.push(stream.events.errorEvent({ error }));
  }
  return sseEvents;
}

export async function streamed(
  steps: readonly Step[],
  fields: Partial<ResponsesRequest> = {},
  failing: Failing = {},
): Promise<string[]> {
  const call = createWriter(fields);
  return readSseEvents(
    partsOf(steps).flatMap((part) => call.writer.events(part)),
    call,
    failing,
  );
}

/** The data of the events; fails for a frame of any other form. */
export const dataOf = (sseEvents: readonly string[]): JsonObject[] =>
  sseEvents
    .join('')
    .split('\n\n')
    .filter((sseEvent) => sseEvent !== '' && sseEvent !== 'data: [DONE]')
    .map((sseEvent) => {
      const [, name, data = ''] = /^event: ([a-z_.]+)\ndata: (.*)$/.exec(sseEvent) ?? [];
      const event = JSON.parse(data) as JsonObject;
      if (event.type !== name) throw new Error(`${name} is not ${String(event.type)}`);
      return event;
    });

/** The response that the official SDK makes of the frames. */
export async function accumulated(sseEvents: readonly string[]): Promise<ResponsesDocument> {
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: 'http://upstream.invalid',
    maxRetries: 0,
    fetch: async () =>
      new Response(sseEvents.join(''), { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }),
  });
  const response = await client.responses.stream({ model: 'a/b', input: 'Hi' }).finalResponse();
  return JSON.parse(JSON.stringify(response));
}
