/** Requests that are no call of an API, each answered with a clear error and nothing held. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '../envelopes.ts';
import { Payer } from '../payer.ts';
import { isHost, service } from './service.ts';

const account = Payer.ofTests(service, '1');
/** Begun first, because the service has patience. */
let stalled: Promise<string>;

beforeAll(() => {
  stalled = stall();
});

/** Sends the beginning of a body and no more, and gives what is answered before the connection ends. */
async function stall(): Promise<string> {
  const { port, hostname } = new URL(service.session.base_url);
  const socket = connect(Number(port), hostname);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\n`;
  socket.write(`${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"model"`);
  return text(socket);
}

describe('a request that is not a chat request', () => {
  it.each([
    ['an empty body', '', 'invalid_json'],
    ['JSON that is no object', '[1,2]', 'invalid_value'],
  ])('causes 400 if it has %s', async (_what, body, code) =>
    expectError(await service.chat({}, { body, key: account.key }), 400, code, null),
  );

  it('causes 405 with the allowed method if it has another one', async () => {
    const response = await service.fetch('/v1/chat/completions');
    expect(response.headers.get('allow')).toBe('POST');
    await expectError(response, 405, 'method_not_allowed', null);
  });

  it('receives an error if its body stalls', async () => {
    const response = await stalled;
    expect(response).toMatch(isHost ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 408 /);
    expect(response).toContain('"error"');
  });
});

describe('credentials', () => {
  it('cause 401 before the body is read', async () =>
    expectError(await service.chat({}, { body: '{', key: 'uis_x' }), 401, 'invalid_api_key', null));
});

describe('a list of usage', () => {
  it.each(['start=yesterday', 'limit=0', 'limit=101', 'cursor=abc'])(
    'causes an error that names the field: %s',
    async (query) => {
      const response = await service.fetch(`/v1/usage?${query}`, { key: account.key });
      await expectError(response, 400, 'invalid_value', query.split('=')[0]);
    },
  );
});

describe('the service after all rejected requests', () => {
  it('holds nothing, balances its ledger and still responds', async () => {
    expect(await service.wallet(account.id)).toMatchObject({ held: 0, holds: [] });
    expect(await service.audit()).toMatchObject({ exact: true, drift: 0, held: 0 });
    expect((await service.fetch('/health', { key: null })).status).toBe(200);
  });
});
