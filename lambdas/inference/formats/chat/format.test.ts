import { describe, expect, it } from '@jest/globals';
import { framesOf } from '../../testing/completions/frames.ts';
import { NO_SEALED_TOKENS } from '../../testing/upstream/no-sealed-tokens.ts';
import { chatFormat } from './format.ts';

const USAGE = { promptTokens: 10, cachedTokens: 4, completionTokens: 3 };
const IDENTITY = { id: 'chatcmpl-1', model: 'a/b' };
const CHUNK = { choices: [{ index: 0, delta: { content: 'Hi' } }], system_fingerprint: 'fp_of_the_route' };

const writerOf = (catalog: string) =>
  chatFormat.createWriter({
    request: { model: 'a/b', messages: [], stream_options: { include_usage: true } },
    responseId: IDENTITY.id,
    createdMs: 0,
    clock: () => 0,
    sealedTokens: NO_SEALED_TOKENS,
    catalog,
  });

/** Returns the fingerprints in a complete response and in each chunk of a stream. */
async function fingerprintsOf(catalog: string): Promise<Set<unknown>> {
  const { writer, encoder } = writerOf(catalog);
  const body = writer({ identity: IDENTITY, promptTokens: () => 0 }).body({ body: CHUNK }, USAGE);
  const texts = [body];
  for (const event of framesOf(encoder, [CHUNK], { usage: USAGE, cost: 1n }))
    if (!event.includes('[DONE]')) texts.push(event.slice('data: '.length));
  return new Set(texts.map((text) => JSON.parse(text).system_fingerprint));
}

describe('the fingerprint of a chat completion', () => {
  it('identifies the catalog, whatever the route reports, in a complete response and in each chunk', async () => {
    const [fingerprint, ...others] = await fingerprintsOf('01K');
    expect(fingerprint).toMatch(/^fp_[0-9a-f]{12}$/);
    expect(others).toEqual([]);
    expect(await fingerprintsOf('01K')).toEqual(new Set([fingerprint]));
  });

  it('changes with the catalog', async () => {
    expect(await fingerprintsOf('01L')).not.toEqual(await fingerprintsOf('01K'));
  });
});
