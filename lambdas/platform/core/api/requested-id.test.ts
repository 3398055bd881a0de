import { describe, expect, it } from '@jest/globals';
import { requestedId as read } from './requested-id.ts';

const request = (query = '') => new Request(`https://service.example/apps${query}`, { method: 'DELETE' });

const requestedId = (path: Record<string, string>, sent: Request, body: unknown) =>
  read(path, sent, async () => body);

describe('the id of a request', () => {
  it('comes from the path, whatever query and body have', async () => {
    expect(await requestedId({ id: 'a' }, request('?id=b'), { id: 'c' })).toBe('a');
  });

  it('comes from the query or the body of a request on a collection', async () => {
    expect(await requestedId({}, request('?id=b'), {})).toBe('b');
    expect(await requestedId({}, request(), { id: 'c' })).toBe('c');
    expect(await requestedId({}, request('?id=b'), { id: 'b' })).toBe('b');
  });

  it.each([
    ['missing_field', '', {}],
    ['missing_field', '', { id: null }],
    ['missing_field', '?id=', {}],
    ['missing_field', '', []],
    ['invalid_value', '', { id: 5 }],
    ['invalid_value', '', { id: ['a'] }],
    ['invalid_value', '?id=a', { id: 'b' }],
    ['invalid_value', '?id=a&id=b', {}],
  ])('causes %s if it is missing or ambiguous: the query %j with the body %j', async (code, query, body) => {
    const rejection = expect.objectContaining({ code, param: 'id' });
    await expect(requestedId({}, request(query), body)).rejects.toEqual(rejection);
  });
});
