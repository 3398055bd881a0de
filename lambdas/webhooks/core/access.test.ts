import { beforeEach, describe, expect, it } from '@jest/globals';
import { formatKey } from '../../access/core/keys/api-key.ts';
import { KeyGate } from '../../access/core/keys/key-gate.ts';
import { type KeyCharge, type KeyState, UNLIMITED } from '../../access/core/keys/key-state.ts';
import type { Policy } from '../../access/core/keys/policy.ts';
import type { Session } from '../../access/core/sessions/session.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { SUBSCRIPTION } from '../testing/memory-deliveries.ts';
import { admit, admitAny, admitTo, nothing } from './access.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const OF_KEY = `acc_${ULID}`;
const PEPPERS = { current: 'p' };
const KEY = formatKey({ accountId: OF_KEY, keyId: `key_${ULID}`, secret: '0'.repeat(40) }, PEPPERS);
const FORGED = `${KEY.slice(0, -32)}${'0'.repeat(32)}`;

const session = (accountId: string): Session => ({
  id: 'ses_1',
  accountId,
  expires: 9,
  authTime: 1,
  role: 'owner',
});
const TOKEN = 'a.owner.c';

/** The steps that happened, in order. */
let steps: string[];
/** The live sessions by their tokens. */
let live: Map<string, Session>;

/** The policy of the key. */
let policy: Policy;

beforeEach(() => {
  steps = [];
  policy = {};
  live = new Map([
    [TOKEN, session(SUBSCRIPTION.accountId)],
    ['a.other.c', session('acc_other')],
  ]);
});

const stateOf = ({ key }: KeyCharge): KeyState => ({
  ...key,
  name: 'test',
  status: 'active',
  policy,
  version: 1,
  created: 0,
  requestsLeft: 41,
  tokensLeft: UNLIMITED,
  dayLeft: UNLIMITED,
  monthLeft: UNLIMITED,
});

const access = () => ({
  peppers: async () => PEPPERS,
  gate: new KeyGate(
    {
      charge: async (charge) => {
        steps.push('charge');
        return { granted: true, state: stateOf(charge) };
      },
    },
    () => NOW_MS,
  ),
  sessions: {
    verify: async (token: string) => {
      steps.push('session');
      return live.get(token);
    },
  },
});

const requestWith = (headers: Record<string, string>) => new Request('https://service.test/', { headers });
const bySession = (token = TOKEN) => requestWith({ authorization: `Bearer ${token}` });

const read = async (): Promise<string> => {
  steps.push('read');
  return 'input';
};
const unreadable = async (): Promise<never> => {
  steps.push('read');
  throw new ServiceError('invalid_value', 'No.');
};

const rejectionOf = async (rejection: Promise<unknown>) => {
  const failure = await rejection.catch((reason: unknown) => reason);
  if (!(failure instanceof ServiceError)) throw new Error('not refused', { cause: failure });
  const limited = new Headers(failure.headers).has('x-ratelimit-limit-requests');
  return { code: failure.code, limited };
};

describe('a request with a session', () => {
  it('belongs to its account and counts against no key', async () => {
    const caller = await admit(access(), bySession(), read);
    expect(caller).toEqual({ accountId: SUBSCRIPTION.accountId, input: 'input', headers: {} });
    expect(steps).toEqual(['session', 'read']);
  });

  it('gets a rejection without the limits of a key if it cannot be read', async () => {
    const rejection = admit(access(), bySession(), unreadable);
    expect(await rejectionOf(rejection)).toEqual({ code: 'invalid_value', limited: false });
    expect(steps).toEqual(['session', 'read']);
  });

  it('gets a rejection before anything of it is read if the session has ended', async () => {
    live.clear();
    expect(await rejectionOf(admit(access(), bySession(), read))).toMatchObject({ code: 'invalid_session' });
    expect(steps).toEqual(['session']);
  });

  it('reads the webhooks of its own account only', async () => {
    const requests: unknown[] = [];
    const subscriptions = {
      get: async (key: { readonly accountId: string; readonly id: string }) => {
        requests.push(key);
        return key.accountId === SUBSCRIPTION.accountId ? SUBSCRIPTION : undefined;
      },
    };
    const both = { ...access(), subscriptions };
    expect((await admitTo(both, bySession(), 'wh_1', nothing)).subscription).toBe(SUBSCRIPTION);
    const rejection = admitTo(both, bySession('a.other.c'), 'wh_1', nothing);
    expect(await rejectionOf(rejection)).toEqual({ code: 'not_found', limited: false });
    expect(requests).toEqual(
      [SUBSCRIPTION.accountId, 'acc_other'].map((accountId) => ({ accountId, id: 'wh_1' })),
    );
  });
});

describe('a request with a key that allows no kind of call', () => {
  it('manages no webhook, and counts against the key', async () => {
    policy = { allowed_kinds: [] };
    const rejection = admit(access(), requestWith({ 'x-api-key': KEY }), read);
    expect(await rejectionOf(rejection)).toEqual({ code: 'kind_not_allowed', limited: true });
    expect(steps).toEqual(['read', 'charge']);
    expect(await admitAny(access(), requestWith({ 'x-api-key': KEY }), read)).toMatchObject({
      accountId: OF_KEY,
    });
  });

  it('manages webhooks if it allows one', async () => {
    policy = { allowed_kinds: ['chat'] };
    expect(await admit(access(), requestWith({ 'x-api-key': KEY }), read)).toMatchObject({ input: 'input' });
  });
});

describe('a request with a key', () => {
  const messages = [
    ['as a bearer', () => ({ authorization: `Bearer ${KEY}` })],
    ['in its header', () => ({ 'x-api-key': KEY })],
    ['in its header, beside a session', () => ({ 'x-api-key': KEY, authorization: `Bearer ${TOKEN}` })],
    ['in its header, beside another token', () => ({ 'x-api-key': KEY, authorization: 'Bearer x.y.z' })],
  ] as const;

  it.each(messages)('belongs to its account and counts against the key: %s', async (_how, headers) => {
    const caller = await admit(access(), requestWith(headers()), read);
    expect(caller).toMatchObject({ accountId: OF_KEY, input: 'input' });
    expect(caller.headers).toMatchObject({ 'x-ratelimit-remaining-requests': '41' });
    expect(steps).toEqual(['read', 'charge']);
  });

  it.each(messages)('counts against the key even if it cannot be read: %s', async (_how, headers) => {
    const rejection = admit(access(), requestWith(headers()), unreadable);
    expect(await rejectionOf(rejection)).toEqual({ code: 'invalid_value', limited: true });
    expect(steps).toEqual(['read', 'charge']);
  });

  it.each([
    ['missing_api_key', () => ({})],
    ['invalid_api_key', () => ({ authorization: `Bearer ${FORGED}` })],
    ['invalid_api_key', () => ({ authorization: 'Bearer x.y' })],
    ['invalid_api_key', () => ({ 'x-api-key': FORGED, authorization: `Bearer ${TOKEN}` })],
  ] as const)('fails with %s before it is read', async (code, headers) => {
    expect(await rejectionOf(admit(access(), requestWith(headers()), read))).toEqual({
      code,
      limited: false,
    });
    expect(steps).toEqual([]);
  });
});
