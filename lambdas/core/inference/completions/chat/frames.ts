/** A completion as the event stream of the chat surface. */

import type { JsonObject } from '../../../json/lossless-json.ts';
import { usdJson } from '../../../money.ts';
import type { FrameOptions } from '../surface.ts';
import { usageBody } from './reply.ts';
import type { ChatRequest } from './request.ts';

const frame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

/** Chunks, then usage if asked for, then `[DONE]`; a failure is one error event and no `[DONE]`. Never throws. */
export async function* chatFrames(options: FrameOptions<ChatRequest>): AsyncGenerator<string, void> {
  const { request, started, describe } = options;
  const includeUsage = request.stream_options?.include_usage === true;
  try {
    const completion = await started;
    if (completion.kind !== 'stream') throw new Error('a call that asked for a stream was answered whole');
    let last: JsonObject = {};
    for await (const event of completion.events) {
      if (event.type === 'output') {
        last = event.payload;
        yield frame(includeUsage ? { ...event.payload, usage: null } : event.payload);
      } else if (includeUsage) {
        const usage = { ...usageBody(event.usage), cost: usdJson(event.settlement.record.cost) };
        yield frame({ ...last, choices: [], usage });
      }
    }
    yield 'data: [DONE]\n\n';
  } catch (failure) {
    yield frame(describe(failure));
  }
}
