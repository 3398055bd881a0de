import { beforeEach, describe, expect, it } from '@jest/globals';
import { formatKey } from '../../access/core/api-key.ts';
import { KeyGate } from '../../access/core/key-gate.ts';
import { type KeyCharge, type KeyState, UNLIMITED } from '../../access/core/key-state.ts';
import { type Session, Sessions } from '../../access/core/session.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { SUBSCRIPTION } from '../testing/memory-deliveries.ts';
import { admit, admitTo, nothing } from './access.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const OF_KEY = `acc_${ULID}`;
const PEPPERS = { current: 'p' };
const KEY = formatKey({ accountId: OF_KEY, keyId: `key_${ULID}`, secret: '0'.repeat(40) }, PEPPERS);
const FORGED = `${KEY.slice(0, -32)}${'0'.repeat(32)}`;

/** The steps that happened, in order. */
let steps: string[];
let live: Map<string, Session>;
let sessions: Sessions;
let token: string;

/** Sessions by their contract, in memory: a token is three parts that name its session. */
beforeEach(async () => {
  steps = [];
  live = new Map();
  sessions = new Sessions({
    tokens: {
      sign: async ({ id }) => `a.${id}.c`,
      read: async (text) => live.get(text.split('.')[1] ?? ''),
    },
    store: {
      start: async (session) => {
        live.set(session.id, session);
        return 'started';
      },
      isLive: async ({ id }) => {
        steps.push('session');
        return live.has(id);
      },
      end: async ({ id }) => void live.delete(id),
      endAll: async () => live.clear(),
    },
    clock: () => NOW_MS,
    ulid: () => ULID,
    maxSessions: 1,
  });
  token = await sessions.start(SUBSCRIPTION.accountId, 60);
});

const stateOf = ({ key }: KeyCharge): KeyState => ({
  ...key,
  name: 'test',
  status: 'active',
  policy: {},
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
  sessions,
});

const requestWith = (headers: Record<string, string>) => new Request('https://service.test/', { headers });
const bySession = () => requestWith({ authorization: `Bearer ${token}` });

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
    expect(steps).toEqual([]);
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
    await sessions.end({ ...(live.values().next().value as Session) }, true);
    token = await sessions.start('acc_other', 60);
    const rejection = admitTo(both, bySession(), 'wh_1', nothing);
    expect(await rejectionOf(rejection)).toEqual({ code: 'not_found', limited: false });
    expect(requests).toEqual(
      [SUBSCRIPTION.accountId, 'acc_other'].map((accountId) => ({ accountId, id: 'wh_1' })),
    );
  });
});

describe('a request with a key', () => {
  const messages = [
    ['as a bearer', () => ({ authorization: `Bearer ${KEY}` })],
    ['in its header', () => ({ 'x-api-key': KEY })],
    ['in its header, beside a session', () => ({ 'x-api-key': KEY, authorization: `Bearer ${token}` })],
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
    ['invalid_api_key', () => ({ 'x-api-key': FORGED, authorization: `Bearer ${token}` })],
  ] as const)('fails with %s before it is read', async (code, headers) => {
    expect(await rejectionOf(admit(access(), requestWith(headers()), read))).toEqual({
      code,
      limited: false,
    });
    expect(steps).toEqual([]);
  });
});
