import { beforeEach, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { engineClients } from '../../../../tools/test-kit/engine.ts';
import { loseFirstResponses } from '../../../../tools/test-kit/lost-answers.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { systemUlid } from '../../../platform/system/system.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { type Session, type SessionStore, Sessions } from '../../core/sessions/session.ts';
import { DynamoSessionStore } from './session-store.ts';
import { createSessionTokens } from './session-tokens.ts';

const START_MS = Date.UTC(2026, 6, 15, 12);
const MAX_SESSIONS = 4;
const HOUR = 3600;

const database = fileDatabase();
let nowMs = START_MS;

beforeEach(() => {
  nowMs = START_MS;
});

const tokens = createSessionTokens(
  async () => ({ current: 'the key that signs sessions here' }),
  () => nowMs,
);
const newAccount = () => `acc_${systemUlid()}`;
const storeOn = (client = database.client) => new DynamoSessionStore(client, database.tables.sessions);
const sessionsIn = (store: SessionStore) =>
  new Sessions({ tokens, store, clock: () => nowMs, ulid: systemUlid, maxSessions: MAX_SESSIONS });
const sessionsOn = (client = database.client) => sessionsIn(storeOn(client));
const times = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));
const start = (accountId: string, seconds = HOUR) =>
  sessionsOn()
    .start(accountId, seconds)
    .catch((failure) => `${failure.code} ${failure.retryAfterSeconds}`);
const accountOf = async (token: string) => (await sessionsOn().verify(token))?.accountId;
async function sessionOf(token: string): Promise<Session> {
  const session = await sessionsOn().verify(token);
  if (session === undefined) throw new Error('no session');
  return session;
}

describe('a session', () => {
  it('stays live until it ends, while the other sessions of its account continue', async () => {
    const accountId = newAccount();
    const [one, two] = [await start(accountId), await start(accountId)];
    const elsewhere = await start(newAccount());
    await sessionsOn().end(await sessionOf(one), false);
    expect(await Promise.all([one, two].map(accountOf))).toEqual([undefined, accountId]);
    await sessionsOn().end(await sessionOf(two), true);
    expect(await Promise.all([one, two].map(accountOf))).toEqual([undefined, undefined]);
    expect(await accountOf(elsewhere)).toBeDefined();
    expect(await accountOf(await start(accountId))).toBe(accountId);
  });

  it('requires more than a signature: another id, end or account in a signed token makes it invalid', async () => {
    const accountId = newAccount();
    const session = await sessionOf(await start(accountId));
    expect(await accountOf(await tokens.sign(session))).toBe(accountId);
    const forged = [
      { ...session, id: `ses_${systemUlid()}` },
      { ...session, expires: session.expires + 1 },
      { ...session, accountId: newAccount() },
    ];
    for (const each of forged) expect(await accountOf(await tokens.sign(each))).toBeUndefined();
  });

  it('counts toward the limit of its account, also for concurrent sign-ins, until it expires or is ended', async () => {
    const accountId = newAccount();
    const first = await start(accountId, 60);
    const results = await times(MAX_SESSIONS + 8, () => start(accountId));
    expect(results.filter((result) => result === 'session_quota 60')).toHaveLength(9);
    nowMs += 59_000;
    expect(await start(accountId)).toBe('session_quota 1');
    expect(await accountOf(first)).toBe(accountId);
    nowMs += 1_000;
    expect(await accountOf(first)).toBeUndefined();
    const later = await times(3, () => start(accountId));
    expect(later.filter((result) => result.startsWith('session_quota'))).toHaveLength(2);
    const live = results.find((result) => !result.startsWith('session_quota')) ?? '';
    await sessionsOn().end(await sessionOf(live), false);
    expect(await start(accountId)).not.toMatch(/^session_quota/);
  });

  it('starts once if the SDK repeats a lost request, also as the last allowed session', async () => {
    const accountId = newAccount();
    await times(MAX_SESSIONS - 1, () => start(accountId));
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstResponses(client);
    const token = await sessionsOn(client).start(accountId, HOUR);
    expect(attempts()).toBe(2);
    expect(await accountOf(token)).toBe(accountId);
    client.destroy();
  });
});

describe('signing in and out', () => {
  it('leaves exactly those sessions active that were started and not ended, in any order of operations', async () => {
    const step = fc.record({
      act: fc.constantFrom('in', 'in', 'in', 'out', 'everywhere', 'wait'),
      pick: fc.nat(20),
    });
    let endedCount = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        nowMs = START_MS;
        const accountId = newAccount();
        const live = new Map<string, number>();
        const all: string[] = [];
        for (const { act, pick } of steps) {
          if (act === 'wait') nowMs += 1_000_000;
          for (const [token, endMs] of live) if (endMs <= nowMs) live.delete(token);
          const token = [...live.keys()][pick % Math.max(1, live.size)];
          if (act === 'in') {
            const result = await start(accountId);
            if (live.size >= MAX_SESSIONS) expect(result).toMatch(/^session_quota \d+$/);
            else {
              live.set(result, nowMs + HOUR * 1000);
              all.push(result);
            }
          }
          if (token === undefined || (act !== 'out' && act !== 'everywhere')) continue;
          await sessionsOn().end(await sessionOf(token), act === 'everywhere');
          endedCount += 1;
          if (act === 'everywhere') live.clear();
          else live.delete(token);
        }
        for (const token of all) expect(await accountOf(token)).toBe(live.has(token) ? accountId : undefined);
      }),
      { numRuns: 30 },
    );
    expect(endedCount).toBeGreaterThan(20);
  });
});

describe('a renewal', () => {
  const renew = async (token: string) => sessionsOn().renew(await sessionOf(token));
  const DAY = 24 * HOUR;

  it('starts the next session and ends the previous one, until exactly a day after the sign-in', async () => {
    const accountId = newAccount();
    let token = await start(accountId);
    const remaining: number[] = [];
    for (let renewals = 1; renewals <= 28; renewals += 1) {
      nowMs = START_MS + renewals * 3_000_000;
      const renewed = await renew(token);
      expect(renewed.signedInUntil).toBe(START_MS / 1000 + DAY);
      expect([await accountOf(token), await accountOf(renewed.token)]).toEqual([undefined, accountId]);
      remaining.push(renewed.expiresInSeconds);
      token = renewed.token;
    }
    expect(remaining).toEqual([...Array(27).fill(HOUR), 2_400]);
    nowMs = START_MS + DAY * 1000 - 1000;
    expect((await renew(token)).expiresInSeconds).toBe(1);
  });

  it('fails with 401 from one day after the sign-in', async () => {
    const session = await sessionOf(await start(newAccount()));
    for (const authTime of [START_MS / 1000 - DAY, START_MS / 1000 - DAY - 1, 0])
      await expect(sessionsOn().renew({ ...session, authTime })).rejects.toMatchObject({
        code: 'invalid_session',
        status: 401,
      });
  });

  it('needs no extra slot: an account with the maximum number of sessions renews each of them', async () => {
    const accountId = newAccount();
    const tokens = await times(MAX_SESSIONS, () => start(accountId));
    const renewed = [];
    for (const token of tokens) renewed.push(await renew(token));
    expect(await Promise.all(tokens.map(accountOf))).toEqual(Array(MAX_SESSIONS).fill(undefined));
    expect(await Promise.all(renewed.map(({ token }) => accountOf(token)))).toEqual(
      Array(MAX_SESSIONS).fill(accountId),
    );
    expect(await start(accountId)).toMatch(/^session_quota/);
  });

  it('starts no session if a sign-out happens between its read and its write', async () => {
    const accountId = newAccount();
    for (const everywhere of [false, true]) {
      const session = await sessionOf(await start(accountId));
      await sessionsOn().end(session, everywhere);
      await expect(sessionsOn().renew(session)).rejects.toMatchObject({ code: 'invalid_session' });
    }
    const item = await times(MAX_SESSIONS, () => start(accountId));
    expect(item.filter((result) => result.startsWith('session_quota'))).toEqual([]);
  });

  it('leaves one additional session, which expires by itself, if it fails between its two writes', async () => {
    const accountId = newAccount();
    const token = await start(accountId);
    const store = storeOn();
    store.end = () => Promise.reject(new Error('it breaks off'));
    await expect(sessionsIn(store).renew(await sessionOf(token))).rejects.toThrow('it breaks off');
    expect(await accountOf(token)).toBe(accountId);
    const later = await times(MAX_SESSIONS, () => start(accountId));
    expect(later.filter((result) => result.startsWith('session_quota'))).toHaveLength(2);
    nowMs += HOUR * 1000;
    expect(await accountOf(token)).toBeUndefined();
    const after = await times(MAX_SESSIONS, () => start(accountId));
    expect(after.filter((result) => result.startsWith('session_quota'))).toEqual([]);
  });

  it('replaces the session once if the SDK repeats a lost request', async () => {
    const accountId = newAccount();
    const token = await start(accountId);
    const session = await sessionOf(token);
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstResponses(client);
    const renewed = await sessionsOn(client).renew(session);
    expect(attempts()).toBeGreaterThanOrEqual(2);
    expect([await accountOf(token), await accountOf(renewed.token)]).toEqual([undefined, accountId]);
    client.destroy();
  });
});
