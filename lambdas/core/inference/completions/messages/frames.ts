/** A completion as the event stream of Messages (Anthropic API reference, Streaming Messages). */
import type { JsonObject } from '../../../json/lossless-json.ts';
import { usdJson } from '../../../money.ts';
import type { EventFormat } from '../../../ports.ts';
import { isEventName } from '../../upstream/stream-blocks.ts';
import type { StreamEvent } from '../delivery.ts';
import { usageBody } from './reply.ts';

const frame = (type: unknown, data: JsonObject) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

export const messagesEvents: EventFormat = {
  heartbeat: frame('ping', { type: 'ping' }),
  errorEvent: (envelope) => frame('error', envelope),
};

/** The message's events. Its end waits for the settlement, whose figures and cost it carries; a stream that fails has none. */
export async function* messagesFrames(events: AsyncIterable<StreamEvent>): AsyncGenerator<string, void> {
  const ending: JsonObject[] = [];
  for await (const event of events) {
    if (event.type === 'output') {
      const { payload } = event;
      // A route's text stands within data alone: elsewhere it could forge other events.
      if (!isEventName(payload.type)) continue;
      const isEnd = payload.type === 'message_delta';
      // A message may change several times; the last change is its end.
      if (isEnd) for (const earlier of ending.splice(0)) yield frame(earlier.type, earlier);
      if (isEnd || ending.length > 0) ending.push(payload);
      else yield frame(payload.type, payload);
    } else {
      const usage = { ...usageBody(event.usage), cost: usdJson(event.settlement.record.cost) };
      for (const held of ending.splice(0))
        yield frame(held.type, held.type === 'message_delta' ? { ...held, usage } : held);
    }
  }
}
