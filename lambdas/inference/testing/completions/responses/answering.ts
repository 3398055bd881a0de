/** Answers of the Responses format as its callers see them. */
import OpenAI from 'openai';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { StreamEvent } from '../../../core/completions/delivery.ts';
import type { AssistantReply } from '../../../core/upstream/conversation.ts';
import { ResponseFrames } from '../../../formats/responses/answer/frames.ts';
import { OutgoingItems } from '../../../formats/responses/answer/items.ts';
import { responsesWriter } from '../../../formats/responses/answer/reply.ts';
import type { ResponsesRequest } from '../../../formats/responses/request.ts';
import { ToolNames } from '../../../formats/responses/tool-names.ts';
import { PLAIN_CAPSULES } from '../../upstream/plain-capsules.ts';
import { partsOf, type Step } from '../../upstream/stream-script.ts';

const NOW_MS = 1_700_000_000_999;
const USAGE = { promptTokens: 20, cachedTokens: 5, completionTokens: 9, reasoningTokens: 4 };
const COST = 1_234_567n;

/** One call of these fields; what writes its answer, made anew for each answer. */
export function answering(fields: Partial<ResponsesRequest> = {}, capsules = PLAIN_CAPSULES) {
  const request = { model: 'a/b', input: 'Hi', ...fields } as ResponsesRequest;
  const outgoing = new OutgoingItems(request, capsules);
  const names = new ToolNames(request.tools ?? []);
  const options = { request, answerId: 'resp_01J', createdMs: NOW_MS };
  const stream = new ResponseFrames(options, outgoing);
  const written = { ...options, clock: () => NOW_MS + 2_000, names, outgoing };
  return { stream, writer: responsesWriter(written, { identity: { id: 'resp_01J', model: 'a/served' } }) };
}

export type Answer = JsonObject & { readonly output: readonly JsonObject[] };

export const whole = (reply: AssistantReply, fields: Partial<ResponsesRequest> = {}): Answer =>
  JSON.parse(answering(fields).writer.whole({ reply }, USAGE));

export interface Failing {
  readonly failure?: Error;
}

/** The frames of payloads, as a host writes them: a failure is the last event. */
export async function framesOf(
  payloads: readonly JsonObject[],
  { stream }: Pick<ReturnType<typeof answering>, 'stream'>,
  { failure }: Failing = {},
): Promise<string[]> {
  async function* events(): AsyncGenerator<StreamEvent, void> {
    for (const payload of payloads) yield { type: 'output', payload };
    if (failure !== undefined) throw failure;
    yield { type: 'settled', usage: USAGE, settlement: { record: { cost: COST } } as never };
  }
  const frames: string[] = [];
  try {
    for await (const frame of stream.frames(events())) frames.push(frame);
  } catch (thrown) {
    const error = { message: String(thrown), type: 'service_unavailable', code: 'all_routes_failed' };
    frames.push(stream.events.errorEvent({ error }));
  }
  return frames;
}

export async function streamed(
  steps: readonly Step[],
  fields: Partial<ResponsesRequest> = {},
  failing: Failing = {},
): Promise<string[]> {
  const call = answering(fields);
  return framesOf(
    partsOf(steps).flatMap((part) => call.writer.part(part)),
    call,
    failing,
  );
}

/** The data of the events; fails for a frame of any other form. */
export const dataOf = (frames: readonly string[]): JsonObject[] =>
  frames
    .join('')
    .split('\n\n')
    .filter((frame) => frame !== '' && frame !== 'data: [DONE]')
    .map((frame) => {
      const [, name, data = ''] = /^event: ([a-z_.]+)\ndata: (.*)$/.exec(frame) ?? [];
      const event = JSON.parse(data) as JsonObject;
      if (event.type !== name) throw new Error(`${name} is not ${String(event.type)}`);
      return event;
    });

/** The response that the official SDK makes of the frames. */
export async function accumulated(frames: readonly string[]): Promise<Answer> {
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: 'http://upstream.invalid',
    maxRetries: 0,
    fetch: async () =>
      new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }),
  });
  const response = await client.responses.stream({ model: 'a/b', input: 'Hi' }).finalResponse();
  return JSON.parse(JSON.stringify(response));
}
