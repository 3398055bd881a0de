/** A completion as the event stream of the Messages surface. */

import type { JsonObject } from '../../../json/lossless-json.ts';
import { usdJson } from '../../../money.ts';
import type { FrameOptions } from '../surface.ts';
import { isEventName } from './event-name.ts';
import { usageBody } from './reply.ts';
import type { MessagesRequest } from './request.ts';

const frame = (type: unknown, data: JsonObject) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

export const PING = frame('ping', { type: 'ping' });

/**
 * The message's events. Its end waits for the settlement, whose figures and cost it carries; a failure is one error
 * event and no `message_stop`. Never throws.
 */
export async function* messagesFrames({
  started,
  describe,
}: FrameOptions<MessagesRequest>): AsyncGenerator<string, void> {
  const ending: JsonObject[] = [];
  try {
    const completion = await started;
    if (completion.kind !== 'stream') throw new Error('a call that asked for a stream was answered whole');
    for await (const event of completion.events) {
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
  } catch (failure) {
    yield frame('error', describe(failure));
  }
}
