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

const COMMON = {
  id: 'chatcmpl-upstream-0123456789abcdef',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'chat',
  system_fingerprint: 'fp_0123456789',
};

const event = (fields: object) => `data: ${JSON.stringify({ ...COMMON, ...fields })}\n\n`;

/** A role, `chunks - 2` pieces of text and a finish reason, then usage and the end. */
function openAiBody(chunks: number): string[] {
  const choice = (delta: object, finish: string | null = null) =>
    event({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  const text = Array.from({ length: chunks - 2 }, (_, at) => choice({ content: WORDS[at % WORDS.length] }));
  const usage = { prompt_tokens: 8, completion_tokens: chunks, total_tokens: 8 + chunks };
  return [
    choice({ role: 'assistant', content: '' }),
    ...text,
    choice({}, 'stop'),
    event({ choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

/** A start, `chunks - 2` pieces of text in one block, and an end with usage. */
function anthropicBody(chunks: number): string[] {
  const named = (type: string, fields: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const message = { id: 'msg_upstream', type: 'message', role: 'assistant', model: 'claude', content: [] };
  const text = Array.from({ length: chunks - 2 }, (_, at) =>
    named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: WORDS[at % WORDS.length] } }),
  );
  return [
    named('message_start', { message: { ...message, usage: { input_tokens: 8, output_tokens: 1 } } }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...text,
    named('content_block_stop', { index: 0 }),
    named('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: chunks },
    }),
    named('message_stop', {}),
  ];
}

/** A start, `chunks - 2` pieces of text in one part of one message, and an end with usage. */
function responsesBody(chunks: number): string[] {
  let number = 0;
  const named = (name: string, fields: object) => {
    const type = `response.${name}`;
    number += 1;
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number - 1, ...fields })}\n\n`;
  };
  const response = { id: 'resp_upstream', object: 'response', created_at: 1_760_000_000, model: 'chat' };
  const itemIndex = { item_id: 'msg_upstream', output_index: 0 };
  const item = { id: 'msg_upstream', type: 'message', role: 'assistant' };
  const startedItem = { ...item, status: 'in_progress', content: [] };
  const partOf = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
  const words = Array.from({ length: chunks - 2 }, (_, at) => WORDS[at % WORDS.length] ?? '');
  const text = words.join('');
  const message = { ...item, status: 'completed', content: [partOf(text)] };
  const usage = { input_tokens: 8, output_tokens: chunks, total_tokens: 8 + chunks };
  return [
    named('created', { response: { ...response, status: 'in_progress', output: [] } }),
    named('in_progress', { response: { ...response, status: 'in_progress', output: [] } }),
    named('output_item.added', { output_index: 0, item: startedItem }),
    named('content_part.added', { ...itemIndex, content_index: 0, part: partOf('') }),
    ...words.map((delta) =>
      named('output_text.delta', { ...itemIndex, content_index: 0, delta, logprobs: [] }),
    ),
    named('output_text.done', { ...itemIndex, content_index: 0, text, logprobs: [] }),
    named('content_part.done', { ...itemIndex, content_index: 0, part: partOf(text) }),
    named('output_item.done', { output_index: 0, item: message }),
    named('completed', { response: { ...response, status: 'completed', output: [message], usage } }),
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
  const content = Array.from({ length: chunks - 2 }, (_, at) => WORDS[at % WORDS.length]).join('');
  if (protocol === 'anthropic') {
    return JSON.stringify({
      id: 'msg_upstream',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [{ type: 'text', text: content }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 8, output_tokens: chunks },
    });
  }
  const message = { role: 'assistant', content, refusal: null };
  return JSON.stringify({
    ...COMMON,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 8, completion_tokens: chunks, total_tokens: 8 + chunks },
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
