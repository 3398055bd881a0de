import { describe, expect, it } from '@jest/globals';
import { ANSWER_QUIRKS, type AnswerQuirk } from '../../../../simulators/models/hosts/quirks.ts';
import { runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream();

interface Said {
  readonly role?: string;
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly { readonly text: string }[];
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function: { readonly name?: string; readonly arguments: string };
    readonly extra_content?: { readonly google: { readonly thought_signature: string } };
  }[];
}
interface Choice {
  readonly message?: Said;
  readonly delta?: Said;
  readonly finish_reason?: string | null;
  readonly usage?: object;
}
interface Answer {
  readonly model: string;
  readonly choices?: readonly Choice[];
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly service_tier?: string;
}

const ask = async (quirks: string, over: object): Promise<string> => {
  const messages = [{ role: 'user', content: 'Repeat exactly: one two three' }];
  const body = { model: 'chat-cached', messages, ...over };
  const init = { headers: { authorization: 'Bearer test' } };
  const response = await upstream.postTo(`/hosts/${quirks}/v1/chat/completions`, body, init);
  expect(response.status).toBe(200);
  return response.text();
};
const whole = async (quirks: string, over: object = {}): Promise<Answer> =>
  JSON.parse(await ask(quirks, over));

const STREAMED = { stream: true, stream_options: { include_usage: true } };
const textOf = (quirks: string, over: object = {}) => ask(quirks, { ...STREAMED, ...over });

/** The objects in the data of a stream, a line each, whatever separates events. */
const chunksIn = (text: string): Answer[] =>
  [...text.matchAll(/^data: (\{.*)$/gmu)].map(([, json = '']) => JSON.parse(json));
const stream = async (quirks: string, over: object = {}) => chunksIn(await textOf(quirks, over));

const deltasOf = (chunks: readonly Answer[]): readonly Said[] =>
  chunks.flatMap(({ choices = [] }) => choices.flatMap(({ delta }) => delta ?? []));
const callsOf = (chunks: readonly Answer[]) =>
  deltasOf(chunks).flatMap(({ tool_calls: calls = [] }) => calls);
const joined = (chunks: readonly Answer[], field: 'content' | 'reasoning_content' | 'reasoning') =>
  deltasOf(chunks)
    .map((delta) => delta[field] ?? '')
    .join('');
const reasonsOf = (chunks: readonly Answer[]) =>
  chunks.flatMap(({ choices = [] }) => choices.flatMap((choice) => choice.finish_reason ?? []));
const message = ({ choices }: Answer): Said => choices?.[0]?.message ?? {};

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const toolNamed = (name: string) => ({ type: 'function', function: { name, parameters: city } });
const CALLS = {
  messages: [{ role: 'user', content: 'call first {"city":"X"}\ncall second {"city":"Y"}' }],
  tools: [toolNamed('first'), toolNamed('second')],
};
const THINK = { reasoning_effort: 'low' };
const JSON_ANSWER = {
  messages: [{ role: 'user', content: 'Answer exactly: {"answer":"yes"}' }],
  response_format: { type: 'json_object' },
};

/** What is seen of a quirk; the same of a host without it is something else. */
type Look = (quirks: string) => Promise<unknown>;
type Case = readonly [look: Look, seen: unknown, usual: unknown];

const indexes: Look = async (quirks) =>
  callsOf(await stream(quirks, CALLS)).map(({ index }) => index ?? null);
const opened = (count: number, [first, second]: readonly (number | null)[]) => [
  ...Array.from({ length: count }, () => first),
  ...Array.from({ length: count }, () => second),
];
/** The opening of a call and its pieces of arguments. */
const PIECES = 6;

const usageOf: Look = async (quirks) => [
  (await whole(quirks)).usage,
  (await stream(quirks)).findLast(({ usage }) => usage)?.usage,
];
const both = (value: unknown) => [value, value];
const PLAIN_USAGE = both(
  expect.objectContaining({ prompt_tokens_details: { cached_tokens: expect.any(Number), audio_tokens: 0 } }),
);
const finish =
  (over: object): Look =>
  async (quirks) => [
    (await whole(quirks, over)).choices?.map((choice) => choice.finish_reason ?? null),
    reasonsOf(await stream(quirks, over)),
  ];
const thought: Look = async (quirks) => {
  const host = `thinks-by-effort,${quirks}`.replace(',none', '');
  const names = ({ content: _content, role: _role, ...said }: Said) =>
    Object.keys(said).filter((name) => name.startsWith('reasoning'));
  return [
    names(message(await whole(host, THINK))),
    [...new Set(deltasOf(await stream(host, THINK)).flatMap(names))],
  ];
};
const jsonAnswer: Look = async (quirks) => {
  const { content, reasoning_content: thoughtOf } = message(await whole(quirks, JSON_ANSWER));
  const chunks = await stream(quirks, JSON_ANSWER);
  return [
    [content, thoughtOf],
    [joined(chunks, 'content'), joined(chunks, 'reasoning_content')],
  ];
};
const PARTS = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Repeat exactly: one' }] }] };
const contents: Look = async (quirks) => [
  message(await whole(quirks, PARTS)).content,
  deltasOf(await stream(quirks, PARTS)).flatMap(({ content }) => content || []),
];

const CASES: Readonly<Record<AnswerQuirk, Case>> = {
  'json-in-reasoning': [
    jsonAnswer,
    both(['', '{"answer":"yes"}']),
    [
      ['{"answer":"yes"}', undefined],
      ['{"answer":"yes"}', ''],
    ],
  ],
  'reasoning-named-reasoning': [thought, both(['reasoning']), both(['reasoning_content'])],
  'reasoning-in-details': [thought, both(['reasoning_details']), both(['reasoning_content'])],
  'mirrors-content': [
    contents,
    [[{ type: 'text', text: 'one' }], [{ type: 'text', text: 'one' }]],
    ['one', ['one']],
  ],
  'empty-call-ids': [
    async (quirks) => [
      message(await whole(quirks, CALLS)).tool_calls?.map(({ id }) => id),
      callsOf(await stream(quirks, CALLS)).flatMap(({ id }) => id ?? []),
    ],
    both(['', '']),
    both([expect.stringMatching(/^call_/), expect.stringMatching(/^call_/)]),
  ],
  'no-call-index': [indexes, opened(PIECES, [null, null]), opened(PIECES, [0, 1])],
  'one-call-index': [indexes, opened(PIECES, [0, 0]), opened(PIECES, [0, 1])],
  'gaps-in-call-indexes': [indexes, opened(PIECES, [2, 5]), opened(PIECES, [0, 1])],
  'arguments-go-on': [
    async (quirks) =>
      callsOf(await stream(quirks, CALLS))
        .map(({ function: { arguments: text } }) => text)
        .join(''),
    '{}{"city":"X"}{}{"city":"Y"}',
    '{"city":"X"}{"city":"Y"}',
  ],
  'stop-with-calls': [finish(CALLS), both(['stop']), both(['tool_calls'])],
  'no-finish-reason': [finish({}), [[null], []], both(['stop'])],
  'empty-finish-reason': [finish({}), both(['']), both(['stop'])],
  'new-finish-reason': [finish({}), both(['end']), both(['stop'])],
  'cached-as-hits': [
    usageOf,
    both(
      expect.objectContaining({
        prompt_cache_hit_tokens: expect.any(Number),
        prompt_cache_miss_tokens: expect.any(Number),
      }),
    ),
    PLAIN_USAGE,
  ],
  'cached-at-top': [
    usageOf,
    both(expect.objectContaining({ cached_tokens: expect.any(Number) })),
    PLAIN_USAGE,
  ],
  'cache-writes': [
    usageOf,
    both(
      expect.objectContaining({
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: expect.any(Number) },
      }),
    ),
    PLAIN_USAGE,
  ],
  'standard-tier': [
    async (quirks) => {
      const chunks = await stream(quirks, { service_tier: 'priority' });
      return [(await whole(quirks, { service_tier: 'priority' })).service_tier, chunks.at(-1)?.service_tier];
    },
    both('default'),
    both('priority'),
  ],
  'cumulative-message': [
    async (quirks) =>
      (await stream(quirks)).flatMap(({ choices = [] }) =>
        choices.map((choice) => choice.message?.content ?? null),
      ),
    ['', 'one', 'one two', 'one two three', 'one two three'],
    [null, null, null, null, null],
  ],
  'no-usage': [usageOf, both(undefined), PLAIN_USAGE],
  'null-usage': [usageOf, [null, undefined], PLAIN_USAGE],
  'usage-in-every-chunk': [
    async (quirks) => {
      const chunks = await stream(quirks, { stream_options: undefined });
      return chunks.map(({ usage }) => Number(usage?.completion_tokens ?? Number.NaN));
    },
    [0, 1, 2, 3, 3],
    Array.from({ length: 5 }, () => Number.NaN),
  ],
  'usage-in-choice': [
    async (quirks) => {
      const chunks = await stream(quirks);
      return chunks.map(({ usage, choices = [] }) => [
        usage ?? null,
        choices.map((choice) => choice.usage ?? null),
      ]);
    },
    [
      ...Array.from({ length: 4 }, () => [null, [null]]),
      [null, [expect.objectContaining({ completion_tokens: 3 })]],
    ],
    [
      ...Array.from({ length: 5 }, () => [null, [null]]),
      [expect.objectContaining({ completion_tokens: 3 }), []],
    ],
  ],
  'unknown-events': [
    async (quirks) => {
      const text = await textOf(quirks);
      return [/^event: ping$/mu.test(text), chunksIn(text).some((chunk) => 'elapsed_ms' in chunk)];
    },
    both(true),
    both(false),
  ],
  'two-objects-an-event': [
    async (quirks) => /^data: \{.*\ndata: \{/mu.test(await textOf(quirks)),
    true,
    false,
  ],
  'no-done': [async (quirks) => (await textOf(quirks)).includes('[DONE]'), false, true],
  'no-last-blank-line': [async (quirks) => (await textOf(quirks)).endsWith('data: [DONE]'), true, false],
};

describe('a host that answers in its own way', () => {
  it.each(ANSWER_QUIRKS)('%s: says it otherwise, and the same without it', async (quirk) => {
    const [look, seen, usual] = CASES[quirk];
    expect(await look(quirk)).toEqual(seen);
    expect(await look('none')).toEqual(usual);
  });

  it.each(ANSWER_QUIRKS.filter((quirk) => !['json-in-reasoning', 'mirrors-content'].includes(quirk)))(
    '%s: gives the same text under the model’s own name',
    async (quirk) => {
      const answer = await whole(quirk);
      expect([answer.model, message(answer).content]).toEqual(['chat-cached', 'one two three']);
      const chunks = await stream(quirk);
      expect(joined(chunks, 'content')).toBe('one two three');
    },
  );

  it('has several quirks at once', async () => {
    const text = await textOf('no-done,no-last-blank-line,usage-in-choice,two-objects-an-event');
    expect(text).toMatch(/^data: \{.*\ndata: \{/u);
    expect(text).toMatch(/"finish_reason":"stop","usage":\{[^\n]*\}$/u);
    expect(joined(chunksIn(text), 'content')).toBe('one two three');
  });
});

describe('a host that thinks', () => {
  const thinking = (over: object) => ({ max_tokens: 2_000, ...over });
  const switchedOn = { thinking: { type: 'enabled' } };
  const off = { thinking: { type: 'disabled' } };
  const budget = { thinking: { type: 'enabled', budget_tokens: 1_024 } };
  const asked: readonly (readonly [quirk: string, over: object, thinks: boolean])[] = [
    ['thinks-by-effort', THINK, true],
    ['thinks-by-effort', { reasoning_effort: 'none' }, false],
    ['thinks-by-effort', switchedOn, false],
    ['thinks-by-effort', {}, false],
    ['thinks-by-switch', switchedOn, true],
    ['thinks-by-switch', off, false],
    ['thinks-by-switch', THINK, false],
    ['thinks-by-budget', budget, true],
    ['thinks-by-budget', off, false],
    ['thinks-by-enable-thinking', { enable_thinking: true, thinking_budget: 100 }, true],
    ['thinks-by-enable-thinking', { enable_thinking: false }, false],
    ['thinks-by-template', { chat_template_kwargs: { thinking: true } }, true],
    ['thinks-by-template', { chat_template_kwargs: { enable_thinking: false } }, false],
    ['thinks-by-reasoning', { reasoning: { effort: 'low' } }, true],
    ['thinks-by-reasoning', { reasoning: { max_tokens: 100 } }, true],
    ['thinks-by-reasoning', { reasoning: { effort: 'none' } }, false],
    ['thinks-by-reasoning', { reasoning: { enabled: true } }, false],
    ['thinks-by-reasoning-enabled', { reasoning: { enabled: true } }, true],
    ['thinks-by-reasoning-enabled', { reasoning: { effort: 'low' } }, false],
    ['thinks-by-prompt-mode', { prompt_mode: 'reasoning' }, true],
    ['thinks-by-prompt-mode', {}, false],
    ['thinks-unasked', {}, true],
    ['thinks-unasked', THINK, true],
    ['thinks-unasked,thinks-by-switch', off, false],
    ['thinks-unasked,thinks-by-effort', { reasoning_effort: 'none' }, false],
    ['none', { ...THINK, ...switchedOn }, false],
  ];

  it.each(asked)('%s %j: %s', async (quirk, over, thinks) => {
    const answer = await whole(quirk, thinking(over));
    expect((message(answer).reasoning_content ?? '') !== '').toBe(thinks);
    const chunks = await stream(quirk, thinking(over));
    expect(joined(chunks, 'reasoning_content') !== '').toBe(thinks);
  });

  it('refuses a budget that is missing, too small or beyond the answer', async () => {
    const init = { headers: { authorization: 'Bearer test' } };
    for (const [max, given] of [
      [2_000, { type: 'enabled' }],
      [2_000, { type: 'enabled', budget_tokens: 1_000 }],
      [1_024, { type: 'enabled', budget_tokens: 1_024 }],
    ] as const) {
      const body = {
        model: 'm',
        messages: [{ role: 'user', content: 'x' }],
        max_tokens: max,
        thinking: given,
      };
      const { status } = await upstream.postTo('/hosts/thinks-by-budget/v1/chat/completions', body, init);
      expect([given, status]).toEqual([given, 400]);
    }
  });

  it('signs the first call of a message where it wants signatures back, and takes them', async () => {
    const { tool_calls: calls = [] } = message(await whole('wants-thought-signature', CALLS));
    const signatures = calls.map(({ extra_content: extra }) => extra?.google.thought_signature);
    expect(signatures).toEqual([expect.any(String), undefined]);
    const streamed = callsOf(await stream('wants-thought-signature', CALLS));
    expect(streamed.flatMap(({ extra_content: extra }) => extra?.google.thought_signature ?? [])).toEqual([
      signatures[0],
    ]);
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'rain' }));
    const messages = [...CALLS.messages, { role: 'assistant', tool_calls: calls }, ...results];
    expect(message(await whole('wants-thought-signature', { ...CALLS, messages })).content).toContain('Done');
  });
});
