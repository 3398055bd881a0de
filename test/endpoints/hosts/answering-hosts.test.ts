import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallFormat, Heard } from '../../../lambdas/inference/testing/completions/sdk-callers.ts';
import { RESPONSE_QUIRKS } from '../../../tools/simulators/models/hosts/quirks.ts';
import type { Service } from '../../fuzz/running-service.ts';
import { callersOf, FORMATS, type Format } from './callers.ts';
import { CALLING, CALLS as EXPECTED, PLAIN, TEXT, THINKING } from './requests.ts';
import { startHosts } from './served-hosts.ts';

/** Those that need a flag. */
const OTHER_NAMES: readonly string[] = ['json-in-reasoning', 'mirrors-content'];
const TOLERATED = RESPONSE_QUIRKS.filter((quirk) => !OTHER_NAMES.includes(quirk));

/** Hosts that do not count, where the service does. */
const UNCOUNTED: readonly string[] = ['no-usage', 'null-usage'];
/** Hosts that count what is cached as written to the cache. */
const WRITING: readonly string[] = ['cache-writes'];

const THINKING_HOSTS = ['none', 'reasoning-named-reasoning', 'reasoning-in-details'] as const;

let service: Service;
let callers: Readonly<Record<Format, CallFormat>>;

beforeAll(async () => {
  service = await startHosts([
    { id: 'host/none', quirks: [] },
    ...TOLERATED.map((quirk) => ({ id: `host/${quirk}`, quirks: [quirk] })),
    ...THINKING_HOSTS.map((quirk) => ({
      id: `thinking/${quirk}`,
      quirks: ['thinks-by-effort', quirk].filter((each) => each !== 'none'),
      dialect: { reasoning_request: 'effort' },
    })),
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

/** Ids that every protocol takes (Claude API reference, `tool_use`). */
const LEGAL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

describe.each(CALLS)('a caller of $format, stream: $stream', ({ format, stream }) => {
  const send = (model: string, requests: Readonly<Record<Format, object>>) =>
    callers[format]({ model, ...requests[format] }, stream);

  const expectUsage = (quirk: string, { input, cached, output }: Heard, usual: Heard) => {
    if (UNCOUNTED.includes(quirk)) expect([input > 0, cached, output > 0]).toEqual([true, 0, true]);
    else if (WRITING.includes(quirk)) expect([input, cached, output]).toEqual([usual.input, 0, usual.output]);
    else expect([input, cached, output]).toEqual([usual.input, usual.cached, usual.output]);
  };

  it.each(TOLERATED)('gets the text and the account of a host with %s', async (quirk) => {
    const [usual, heard] = [await send('host/none', PLAIN), await send(`host/${quirk}`, PLAIN)];
    expect(usual.cached).toBeGreaterThan(0);
    expect(heard).toMatchObject({ text: TEXT, calls: [], finish: 'stop', reasoning: '' });
    expectUsage(quirk, heard, usual);
  });

  it.each(TOLERATED)('gets the tool calls of a host with %s', async (quirk) => {
    const [usual, heard] = [await send('host/none', CALLING), await send(`host/${quirk}`, CALLING)];
    expect(heard).toMatchObject({ text: '', calls: EXPECTED, finish: 'calls' });
    expect(new Set(heard.ids).size).toBe(EXPECTED.length);
    for (const id of heard.ids) expect(id).toMatch(LEGAL_ID);
    expectUsage(quirk, heard, usual);
  });

  it.each(THINKING_HOSTS)('gets the reasoning of a host with %s', async (quirk) => {
    const { text, reasoning } = await send(`thinking/${quirk}`, THINKING);
    expect([text, reasoning]).toEqual([TEXT, expect.stringMatching(/^Let me think\..+\.$/s)]);
  });
});
