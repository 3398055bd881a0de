/** An answer as a server of each protocol writes it, whole in memory: a text of the bench's, as the simulated providers send it. */
import { messageEvents } from '../../../simulators/models/anthropic/answer.ts';
import { sse } from '../../../simulators/models/exchange/encodings.ts';
import type { SimulatedEvent } from '../../../simulators/models/exchange/reply.ts';
import type { ModelChoice, ModelUsage } from '../../../simulators/models/model/model.ts';
import { cutToTokens } from '../../../simulators/models/model/tokens.ts';
import { chatChunks, chatCompletion } from '../../../simulators/models/openai/chat-answer.ts';
import { responseEvents } from '../../../simulators/models/responses/stream.ts';
import { FIRST_TEXT } from './model-name.ts';

export type Protocol = 'openai' | 'openai-responses' | 'anthropic';

/** A dozen tokens and more, with what JSON escapes. */
const TEXT = `${FIRST_TEXT}ways stand between callers and models, "quoted" né\n\n`;

const USAGE = {
  promptTokens: 8,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrites: { '5m': 0, '1h': 0 },
  thinkingTokens: 0,
  webSearches: 0,
};

const IDENTITY = { id: 'upstream', created: 1_760_000_000, model: 'chat', service_tier: 'default' };

/** The simulated providers answer without a fault. */
const NO_FAULT = {};

/** An answer of so many pieces of text, but for a role and an end. */
function outputOf(chunks: number): { readonly choice: ModelChoice; readonly usage: ModelUsage } {
  const { text, tokenCount } = cutToTokens(TEXT.repeat(chunks), chunks - 2);
  const choice = { text, tokenCount, toolCalls: [], finishReason: 'stop' } as const;
  return { choice, usage: { ...USAGE, completionTokens: chunks } };
}

function simulatedEvents(protocol: Protocol, chunks: number): Iterable<SimulatedEvent> {
  const { choice, usage } = outputOf(chunks);
  if (protocol === 'openai') return chatChunks({ choices: [choice], usage }, IDENTITY, NO_FAULT);
  if (protocol === 'anthropic')
    return messageEvents(choice, usage, { ...IDENTITY, fault: NO_FAULT, accounting: {} });
  const request = { model: 'chat', input: 'Hello', stream_options: { include_obfuscation: false } };
  const envelope = { id: 'upstream', createdAt: IDENTITY.created, serviceTier: 'default', scope: [] };
  return responseEvents(choice, usage, { ...envelope, fault: NO_FAULT, request });
}

/** The answer's events, each complete with its blank line. */
export const eventsOf = (protocol: Protocol, chunks: number): Buffer[] =>
  [...simulatedEvents(protocol, chunks)].map((event) => sse.encode(event));

/** The same chat completion, not streamed. */
export function completeResponse(chunks: number): Buffer {
  const { choice, usage } = outputOf(chunks);
  return Buffer.from(JSON.stringify(chatCompletion({ choices: [choice], usage }, IDENTITY, NO_FAULT)));
}

/** The embedding of one input. */
export const EMBEDDING = Buffer.from(
  JSON.stringify({
    object: 'list',
    model: 'embeddings',
    data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
    usage: { prompt_tokens: USAGE.promptTokens, total_tokens: USAGE.promptTokens },
  }),
);

/** The pieces of a body as a connection brings them: 1 to 4 KB, split anywhere. */
export function* fragmentsOf(body: Buffer): Generator<Uint8Array, void> {
  const sizes = [1024, 4096, 2777, 1500, 3333];
  for (let at = 0, turn = 0; at < body.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? body.length;
    yield body.subarray(at, at + size);
    at += size;
  }
}
