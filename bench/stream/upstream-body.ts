/** A streamed answer as an OpenAI-compatible server writes it (OpenAI API reference, Streaming), whole in memory. */

const WORDS = [
  'Gate',
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
export function makeBody(chunks: number): Buffer {
  const choice = (delta: object, finish: string | null = null) =>
    event({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  const text = Array.from({ length: chunks - 2 }, (_, at) => choice({ content: WORDS[at % WORDS.length] }));
  const usage = { prompt_tokens: 8, completion_tokens: 16_000, total_tokens: 16_008 };
  return Buffer.from(
    [
      choice({ role: 'assistant', content: '' }),
      ...text,
      choice({}, 'stop'),
      event({ choices: [], usage }),
      'data: [DONE]\n\n',
    ].join(''),
  );
}

/** The pieces of a body as a connection brings them: 1 to 4 KB, split anywhere. */
export function* piecesOf(body: Buffer): Generator<Uint8Array, void> {
  const sizes = [1024, 4096, 2777, 1500, 3333];
  for (let at = 0, turn = 0; at < body.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? body.length;
    yield body.subarray(at, at + size);
    at += size;
  }
}
