import { describe, expect, it } from '@jest/globals';
import { runningUpstream, SIGNED_HEADERS } from '../../testing/models/running-upstream.ts';

const upstream = runningUpstream();
const bearer = { authorization: 'Bearer test' };

const user = (content: string) => ({ role: 'user' as const, content });

describe('a response', () => {
  it('stays stored unless the request excludes it, and a later request continues it by its id', async () => {
    const readStoredResponses = async () =>
      (await (await upstream.control('GET', '/kept-responses')).json()) as object;
    const before = await readStoredResponses();
    const client = upstream.openai();
    await client.responses.create({ model: 'm', store: false, input: 'x' });
    expect(await readStoredResponses()).toEqual(before);
    const { id, output } = await client.responses.create({ model: 'm', input: 'Say exactly: kept' });
    expect(await readStoredResponses()).not.toEqual(before);
    const next = await client.responses.create({ model: 'm', previous_response_id: id, input: 'y' });
    expect(next.usage?.input_tokens).toBeGreaterThan(15);
    const [item] = output;
    const reference = { type: 'item_reference' as const, id: item?.id ?? '' };
    await client.responses.create({ model: 'm', store: false, input: [reference, user('y')] });
  });

  it('requires a signed request at the address of Bedrock', async () => {
    const path = '/openai/v1/responses';
    const body = { model: 'm', store: false, input: 'Repeat exactly: hi' };
    expect((await upstream.postTo(path, body, { headers: bearer })).status).toBe(403);
    const signed = await upstream.postTo(path, body, { headers: SIGNED_HEADERS });
    expect(await signed.json()).toMatchObject({ output: [{ content: [{ text: 'hi' }] }] });
  });
});
