import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DynamoAccountStore } from '../../access/store/accounts/account-store.ts';
import { VARIABLES } from '../../platform/contract/environment.ts';
import { systemUlid } from '../../platform/system/system.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import type { PlatformEvent } from '../core/event.ts';
import { createAlertMail } from './alert-mail.ts';

const database = fileDatabase();
const lines: unknown[] = [];
let received: {
  readonly path?: string | undefined;
  readonly authorization?: string;
  readonly body: unknown;
}[] = [];
let rejected = 0;
let answer: readonly [status: number, type: string] = [200, ''];
let ses: Server;

beforeAll(async () => {
  ses = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path, headers } = request;
    const { authorization = '' } = headers;
    received.push({ path, authorization, body: JSON.parse(String(Buffer.concat(chunks))) });
    response.writeHead(answer[0], { 'x-amzn-errortype': answer[1] }).end('{"message":"owner@example.com"}');
  });
  await new Promise<void>((resolve) => ses.listen(0, '127.0.0.1', resolve));
});

afterAll(() => void ses.close());

beforeEach(() => {
  [answer, received, rejected] = [[200, ''], [], 0];
  lines.length = 0;
});

const LOW = { balance: 4.25, currency: 'USD', threshold: 'balance_low_usd', value: 5, key: 'CANARY' };

const mailerOf = (settings: Readonly<Record<string, string>>) =>
  createAlertMail({
    clients: database,
    environment: {
      ...database.environment,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(ses.address() as AddressInfo).port}`,
      ...settings,
    },
    log: { warn: (...line) => void lines.push(line) },
    onRejected: () => {
      rejected += 1;
    },
  });

const SETTINGS = {
  [VARIABLES.alertMail]: 'alerts@example.com',
  [VARIABLES.paymentReturnUrl]: 'https://example.com/console',
  [VARIABLES.serviceName]: 'Añ & B',
};

/** Returns what SES receives of an event of an account with that address. */
async function mailed(email: string | undefined, changes: Partial<PlatformEvent> = {}) {
  const accountId = `acc_${systemUlid()}`;
  const account = { id: accountId, created: 0, ...(email === undefined ? {} : { email }) };
  await new DynamoAccountStore(database.client, database.tables).open(account);
  const event = {
    accountId,
    id: 'evt_1',
    type: 'balance.low',
    created: '2026-11-29T00:00:00Z',
    data: LOW,
  } as const;
  await mailerOf(SETTINGS)?.({ ...event, ...changes });
  return received;
}

describe('a mail of an alert', () => {
  it.each<[string, Partial<PlatformEvent>, string, string]>([
    ['an amount', {}, 'your credit is low', 'Balance: 4.25 USD\nThreshold: 5 USD\n'],
    [
      'days',
      { data: { ...LOW, balance: 1e-9, threshold: 'balance_low_days', value: 3 } },
      'your credit is low',
      'Balance: 0.000000001 USD\nThreshold: the cost of 3 days at the recent pace\n',
    ],
    [
      'no credit',
      { type: 'credit.exhausted', data: { balance: 0, currency: 'USD' } },
      'your credit does not cover your calls',
      'Balance: 0 USD\n',
    ],
  ])(
    'contains the amount, the threshold and a link, and nothing else: %s',
    async (_name, changes, subject, facts) => {
      const [mail] = await mailed('owner@example.com', changes);
      const title = `Añ & B: ${subject}`;
      const text = `${title}.\n${facts}\nhttps://example.com/console#/billing\n`;
      expect(mail).toEqual({
        path: '/v2/email/outbound-emails',
        authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 .*\/us-east-1\/ses\/aws4_request/),
        body: {
          FromEmailAddress: 'alerts@example.com',
          Destination: { ToAddresses: ['owner@example.com'] },
          Content: { Simple: { Subject: { Data: title }, Body: { Text: { Data: text } } } },
        },
      });
    },
  );

  it.each([
    ['no address', undefined, {}],
    ['two addresses', 'owner@example.com,other@example.com', {}],
    ['an address with a header', 'owner@example.com\r\nBcc: other@example.com', {}],
    ['an event of another type', 'owner@example.com', { type: 'review.created' }],
    ['data that are no alert', 'owner@example.com', { data: { balance: '4.25' } }],
  ] as const)('reaches nobody: %s', async (_name, email, changes) => {
    expect(await mailed(email, changes)).toEqual([]);
  });

  it('needs the setting', () => {
    expect(mailerOf({})).toBeUndefined();
  });

  it.each([429, 500, 503])('fails its event if SES may take it later: %i', async (status) => {
    answer = [status, 'Unavailable'];
    await expect(mailed('owner@example.com')).rejects.toThrow(`SES answered ${status}`);
    expect([received.length, rejected, lines]).toEqual([1, 0, []]);
  });

  it.each([400, 403, 404])('counts what SES rejects for good, without its address: %i', async (status) => {
    answer = [status, 'MessageRejected'];
    expect(await mailed('owner@example.com')).toHaveLength(1);
    const fields = { accountId: expect.any(String), status, name: 'MessageRejected' };
    expect([rejected, lines]).toEqual([1, [['a mail was rejected', fields]]]);
  });
});
