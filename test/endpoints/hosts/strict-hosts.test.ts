import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallFormat } from '../../../lambdas/inference/testing/completions/sdk-callers.ts';
import type { Service } from '../../fuzz/running-service.ts';
import { callersOf, FORMATS, type Format } from './callers.ts';
import { compatible, dialectOf, FLAGGED, FLAGS, type FlaggedQuirk } from './flags.ts';
import { CUSTOM, EVERYTHING, JSON_OUTPUT, JSON_TEXT, TEXT, THINKING } from './requests.ts';
import { startHosts } from './served-hosts.ts';

/** The formats in which a host refuses the same conversation without the flag; in the others nothing of the kind is sent. */
const REJECTION = {
  // Hosts of this protocol get `system` messages in any case.
  'no-developer-role': [],
  'only-max-tokens': ['chat'],
  'only-max-completion-tokens': ['messages', 'responses'],
  'no-store': ['chat'],
  'no-stream-options': FORMATS,
  'no-parallel-tool-calls': FORMATS,
  'string-content': FORMATS,
  'system-first': FORMATS,
  'no-empty-assistant': ['chat', 'responses'],
  'assistant-after-tools': FORMATS,
  'nine-character-ids': FORMATS,
  'wants-reasoning-content': FORMATS,
  'wants-reasoning': FORMATS,
  'wants-thought-signature': FORMATS,
  'no-strict-tools': FORMATS,
  'simple-schemas': FORMATS,
  'all-required': FORMATS,
} as const satisfies Partial<Record<FlaggedQuirk, readonly Format[]>>;

const STRICT = Object.keys(REJECTION) as (keyof typeof REJECTION)[];
const FLAGGED_MODES = FLAGGED.filter((quirk) => quirk.startsWith('thinks-by-'));

const EVERY_STRICT = compatible(STRICT);
const EVERY_OTHER = compatible(STRICT.toReversed());

let service: Service;
let callers: Readonly<Record<Format, CallFormat>>;

beforeAll(async () => {
  service = await startHosts([
    ...FLAGGED.flatMap((quirk) => [
      { id: `flagged/${quirk}`, quirks: [quirk], dialect: FLAGS[quirk] },
      { id: `plain/${quirk}`, quirks: [quirk] },
    ]),
    {
      id: 'responses/flagged',
      quirks: ['no-custom-tools'],
      protocol: 'openai-responses',
      dialect: { custom_tools: false },
    },
    { id: 'responses/plain', quirks: ['no-custom-tools'], protocol: 'openai-responses' },
    { id: 'all/first', quirks: EVERY_STRICT, dialect: dialectOf(EVERY_STRICT) },
    { id: 'all/last', quirks: EVERY_OTHER, dialect: dialectOf(EVERY_OTHER) },
  ]);
  callers = callersOf(service);
});
afterAll(async () => {
  await service.stop();
  expect(service.internalErrors).toEqual([]);
});

const CALLS = FORMATS.flatMap((format) => [
  { format, stream: false },
  { format, stream: true },
]);

const send = (
  model: string,
  requests: Readonly<Record<Format, object>>,
  { format, stream }: (typeof CALLS)[number],
) => callers[format]({ model, ...requests[format] }, stream);

describe.each(CALLS)('a strict host, to a caller of $format, stream: $stream', (call) => {
  it.each(STRICT)('responds with 200 if the route has the flag: %s', async (quirk) => {
    expect(await send(`flagged/${quirk}`, EVERYTHING, call)).toMatchObject({
      text: TEXT,
      finish: 'stop',
      calls: [],
    });
  });

  it.each(STRICT)(
    '%s: rejects the same request without the flag, if the format can express it',
    async (quirk) => {
      const formats: readonly Format[] = REJECTION[quirk];
      const isStream = quirk !== 'no-stream-options' || call.stream;
      const response = send(`plain/${quirk}`, EVERYTHING, call);
      if (formats.includes(call.format) && isStream)
        await expect(response).rejects.toMatchObject({ status: 400 });
      else expect(await response).toMatchObject({ text: TEXT });
    },
  );

  it.each(['all/first', 'all/last'])(
    'responds to the call if it combines all of these quirks: %s',
    async (model) => {
      expect(await send(model, EVERYTHING, call)).toMatchObject({ text: TEXT, finish: 'stop' });
    },
  );

  it.each(FLAGGED_MODES)(
    'returns reasoning if the request uses the vendor’s own field: %s',
    async (quirk) => {
      const { text, reasoning } = await send(`flagged/${quirk}`, THINKING, call);
      expect([text, reasoning]).toEqual([TEXT, expect.stringMatching(/^Let me think\./)]);
      // A caller of chat asks in the fields of its own format, which one of these hosts has.
      const unasked = await send(`plain/${quirk}`, THINKING, call);
      const isOwn = call.format === 'chat' && quirk === 'thinks-by-effort';
      expect([unasked.text, unasked.reasoning !== '']).toEqual([TEXT, isOwn]);
    },
  );

  it('json-in-reasoning: returns the text as output, and as reasoning without the flag', async () => {
    const { text, reasoning } = await send('flagged/json-in-reasoning', JSON_OUTPUT, call);
    expect([text, reasoning]).toEqual([JSON_TEXT, '']);
    const plain = await send('plain/json-in-reasoning', JSON_OUTPUT, call);
    expect([plain.text, plain.reasoning]).toEqual(['', JSON_TEXT]);
  });

  it('returns plain text with the flag mirrors-content', async () => {
    expect(await send('flagged/mirrors-content', EVERYTHING, call)).toMatchObject({ text: TEXT });
  });
});

describe.each([false, true])(
  'a vendor of the Responses API that rejects custom tools, stream: %s',
  (stream) => {
    it('receives functions with its flag, and rejects them without it', async () => {
      const { calls, finish } = await callers.responses({ model: 'responses/flagged', ...CUSTOM }, stream);
      expect([calls, finish]).toEqual([[{ name: 'note', input: 'hello' }], 'calls']);
      const rejection = callers.responses({ model: 'responses/plain', ...CUSTOM }, stream);
      await expect(rejection).rejects.toMatchObject({ status: 400 });
    });
  },
);
