/** A completion as the event stream of chat completions (OpenAI API reference, Chat, Streaming). */
import type { JsonObject } from '../../../json/lossless-json.ts';
import { usdJson } from '../../../money.ts';
import type { EventFormat } from '../../../ports.ts';
import type { StreamEvent } from '../delivery.ts';
import { usageBody } from './reply.ts';
import type { ChatRequest } from './request.ts';

const frame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

export const chatEvents: EventFormat = { heartbeat: ': keep-alive\n\n', errorEvent: frame };

/** Chunks, then usage if asked for, then `[DONE]`; a stream that fails has no `[DONE]`. */
export async function* chatFrames(
  request: ChatRequest,
  events: AsyncIterable<StreamEvent>,
): AsyncGenerator<string, void> {
  const includeUsage = request.stream_options?.include_usage === true;
  let last: JsonObject = {};
  for await (const event of events) {
    if (event.type === 'output') {
      last = event.payload;
      yield frame(includeUsage ? { ...event.payload, usage: null } : event.payload);
    } else if (includeUsage) {
      const usage = { ...usageBody(event.usage), cost: usdJson(event.settlement.record.cost) };
      yield frame({ ...last, choices: [], usage });
    }
  }
  yield 'data: [DONE]\n\n';
}
