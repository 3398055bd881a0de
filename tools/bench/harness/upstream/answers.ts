/** A streamed answer as a server of each protocol writes it (OpenAI API reference and Claude API docs, Streaming), whole in memory. */

export type Protocol = 'openai' | 'openai-responses' | 'anthropic';

/** The first piece of text of every answer. */
export const FIRST_TEXT = 'Gate';

const WORDS = [
  FIRST_TEXT,
  'ways',
  ' stand',
  ' between',
  ' callers',
  ' and',
  ' models',
  ',',
  ' "quoted"',
  ' né',
  '\n\n',
];

/** The pieces of text of an answer: all chunks but the first and the last. */
const wordsOf = (chunks: number): string[] =>
  Array.from({ length: chunks - 2 }, (_, at) => WORDS[at % WORDS.length] ?? '');

const COMMON = {
  id: 'chatcmpl-upstream-0123456789abcdef',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'chat',
  system_fingerprint: 'fp_0123456789',
};

const event = (fields: object) => `data: ${JSON.stringify({ ...COMMON, ...fields })}\n\n`;

const openAiUsage = (chunks: number) => {
  return { prompt_tokens: 8, completion_tokens: chunks, total_tokens: 8 + chunks };
};

/** A role, the pieces of text and a finish reason, then usage and the end. */
function openAiBody(chunks: number): string[] {
  const choice = (delta: object, finish: string | null = null) =>
    event({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  return [
    choice({ role: 'assistant', content: '' }),
    ...wordsOf(chunks).map((content) => choice({ content })),
    choice({}, 'stop'),
    event({ choices: [], usage: openAiUsage(chunks) }),
    'data: [DONE]\n\n',
  ];
}

const named = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const ANTHROPIC = { id: 'msg_upstream', type: 'message', role: 'assistant', model: 'claude' };

/** A start, the pieces of text in one block, and an end with usage. */
function anthropicBody(chunks: number): string[] {
  const message = { ...ANTHROPIC, content: [], usage: { input_tokens: 8, output_tokens: 1 } };
  return [
    named('message_start', { message }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...wordsOf(chunks).map((text) =>
      named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    ),
    named('content_block_stop', { index: 0 }),
    named('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: chunks },
    }),
    named('message_stop', {}),
  ];
}

/** A start, the pieces of text in one part of one message, and an end with usage. */
function responsesBody(chunks: number): string[] {
  let number = 0;
  const numbered = (name: string, fields: object) =>
    named(`response.${name}`, { sequence_number: number++, ...fields });
  const response = { id: 'resp_upstream', object: 'response', created_at: 1_760_000_000, model: 'chat' };
  const itemIndex = { item_id: 'msg_upstream', output_index: 0 };
  const item = { id: 'msg_upstream', type: 'message', role: 'assistant' };
  const startedItem = { ...item, status: 'in_progress', content: [] };
  const partOf = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
  const words = wordsOf(chunks);
  const text = words.join('');
  const message = { ...item, status: 'completed', content: [partOf(text)] };
  const usage = { input_tokens: 8, output_tokens: chunks, total_tokens: 8 + chunks };
  return [
    numbered('created', { response: { ...response, status: 'in_progress', output: [] } }),
    numbered('in_progress', { response: { ...response, status: 'in_progress', output: [] } }),
    numbered('output_item.added', { output_index: 0, item: startedItem }),
    numbered('content_part.added', { ...itemIndex, content_index: 0, part: partOf('') }),
    ...words.map((delta) =>
      numbered('output_text.delta', { ...itemIndex, content_index: 0, delta, logprobs: [] }),
    ),
    numbered('output_text.done', { ...itemIndex, content_index: 0, text, logprobs: [] }),
    numbered('content_part.done', { ...itemIndex, content_index: 0, part: partOf(text) }),
    numbered('output_item.done', { output_index: 0, item: message }),
    numbered('completed', { response: { ...response, status: 'completed', output: [message], usage } }),
  ];
}

const BODIES: Readonly<Record<Protocol, (chunks: number) => string[]>> = {
  openai: openAiBody,
  'openai-responses': responsesBody,
  anthropic: anthropicBody,
};

/** The answer's events, each complete with its blank line. */
export const eventsOf = (protocol: Protocol, chunks: number): string[] => BODIES[protocol](chunks);

export const makeBody = (protocol: Protocol, chunks: number): Buffer =>
  Buffer.from(eventsOf(protocol, chunks).join(''));

/** The same answer, not streamed. */
export function completeResponse(protocol: Exclude<Protocol, 'openai-responses'>, chunks: number): string {
  const content = wordsOf(chunks).join('');
  if (protocol === 'anthropic')
    return JSON.stringify({
      ...ANTHROPIC,
      content: [{ type: 'text', text: content }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 8, output_tokens: chunks },
    });
  const message = { role: 'assistant', content, refusal: null };
  return JSON.stringify({
    ...COMMON,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: openAiUsage(chunks),
  });
}

/** The pieces of a body as a connection brings them: 1 to 4 KB, split anywhere. */
export function* fragmentsOf(body: Buffer): Generator<Uint8Array, void> {
  const sizes = [1024, 4096, 2777, 1500, 3333];
  for (let at = 0, turn = 0; at < body.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? body.length;
    yield body.subarray(at, at + size);
    at += size;
  }
}
