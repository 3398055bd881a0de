/** A completion in the words of the chat surface: the whole answer, and the events of a stream. */
import { usdJson } from '../money.ts';
import type { Completion } from './completion.ts';
import type { TokenUsage } from './price.ts';
import type { JsonObject } from './provider.ts';

/** The interface's Usage, with what else the route reported. */
function usageBody({
  promptTokens,
  completionTokens,
  cachedTokens,
  reported,
}: TokenUsage): Record<string, unknown> {
  const details = reported?.prompt_tokens_details as object | undefined;
  return {
    ...reported,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { ...details, cached_tokens: cachedTokens },
  };
}

export const renderChat = (body: JsonObject, usage: TokenUsage): string =>
  JSON.stringify({ ...body, usage: usageBody(usage) });

const frame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

export interface FrameOptions {
  readonly started: Promise<Completion>;
  /** The caller asked for a last event with usage and cost. */
  readonly includeUsage: boolean;
  /** The error envelope of a failure. */
  readonly describe: (failure: unknown) => Record<string, unknown>;
}

/** Chunks, then usage if asked for, then `[DONE]`; a failure is one error event and no `[DONE]`. Never throws. */
export async function* chatFrames(options: FrameOptions): AsyncGenerator<string, void> {
  const { started, includeUsage, describe } = options;
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
