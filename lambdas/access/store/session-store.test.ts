import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { engineClients, startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { loseFirstAnswers } from '../../../tools/test-kit/lost-answers.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { systemUlid } from '../../platform/system/system.ts';
import { type Session, Sessions } from '../core/session.ts';
import { DynamoSessionStore } from './session-store.ts';
import { createSessionTokens } from './session-tokens.ts';

const START_MS = Date.UTC(2026, 6, 15, 12);
const MOST = 4;
const HOUR = 3600;

let database: TestDatabase;
let nowMs = START_MS;

beforeAll(async () => {
  database = await startDatabase();
}, 30_000);
afterAll(() => database.stop());

const newAccount = () => `acc_${systemUlid()}`;
const sessionsOn = (client = database.client, most = MOST) =>
  new Sessions({
    tokens: createSessionTokens(
      async () => ({ current: 'the key that signs sessions here' }),
      () => nowMs,
    ),
    store: new DynamoSessionStore(client, database.tables.sessions),
    clock: () => nowMs,
    ulid: systemUlid,
    most,
  });
const times = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));
const begin = (accountId: string, seconds = HOUR) =>
  sessionsOn()
    .begin(accountId, seconds)
    .catch((failure) => `${failure.code} ${failure.retryAfterSeconds}`);
const accountOf = async (token: string) => (await sessionsOn().verify(token))?.accountId;
async function sessionOf(token: string): Promise<Session> {
  const found = await sessionsOn().verify(token);
  if (found === undefined) throw new Error('no session');
  return found;
}

describe('a session', () => {
  it('stays live until it ends, while the other sessions of its account continue', async () => {
    const accountId = newAccount();
    const [one, two] = [await begin(accountId), await begin(accountId)];
    const elsewhere = await begin(newAccount());
    await sessionsOn().end(await sessionOf(one), false);
    expect(await Promise.all([one, two].map(accountOf))).toEqual([undefined, accountId]);
    await sessionsOn().end(await sessionOf(two), true);
    expect(await Promise.all([one, two].map(accountOf))).toEqual([undefined, undefined]);
    expect(await accountOf(elsewhere)).toBeDefined();
    expect(await accountOf(await begin(accountId))).toBe(accountId);
  });

  it('requires more than a signature: another id, end or account in a signed token makes it invalid', async () => {
    const accountId = newAccount();
    const session = await sessionOf(await begin(accountId));
    const tokens = createSessionTokens(
      async () => ({ current: 'the key that signs sessions here' }),
      () => nowMs,
    );
    expect(await accountOf(await tokens.sign(session))).toBe(accountId);
    const forged = [
      { ...session, id: `ses_${systemUlid()}` },
      { ...session, expires: session.expires + 1 },
      { ...session, accountId: newAccount() },
    ];
    for (const each of forged) expect(await accountOf(await tokens.sign(each))).toBeUndefined();
  });

  it('counts toward the limit of its account, also for concurrent sign-ins, until it expires or is ended', async () => {
    nowMs = START_MS;
    const accountId = newAccount();
    const first = await begin(accountId, 60);
    const results = await times(MOST + 8, () => begin(accountId));
    expect(results.filter((result) => result === 'session_quota 60')).toHaveLength(9);
    nowMs += 59_000;
    expect(await begin(accountId)).toBe('session_quota 1');
    expect(await accountOf(first)).toBe(accountId);
    nowMs += 1_000;
    expect(await accountOf(first)).toBeUndefined();
    const more = await times(3, () => begin(accountId));
    expect(more.filter((result) => result.startsWith('session_quota'))).toHaveLength(2);
    const live = results.find((result) => !result.startsWith('session_quota')) ?? '';
    await sessionsOn().end(await sessionOf(live), false);
    expect(await begin(accountId)).not.toMatch(/^session_quota/);
    nowMs = START_MS;
  });

  it('starts once if the SDK repeats a lost request, also as the last allowed session', async () => {
    const accountId = newAccount();
    await times(MOST - 1, () => begin(accountId));
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstAnswers(client);
    const token = await sessionsOn(client).begin(accountId, HOUR);
    expect(attempts()).toBe(2);
    expect(await accountOf(token)).toBe(accountId);
    client.destroy();
  });
});

describe('signing in and out', () => {
  it('leaves exactly those sessions live that were begun and not ended, in any order of things', async () => {
    const step = fc.record({
      act: fc.constantFrom('in', 'in', 'in', 'out', 'everywhere', 'wait'),
      pick: fc.nat(20),
    });
    let ended = 0;
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
            const result = await begin(accountId);
            if (live.size >= MOST) expect(result).toMatch(/^session_quota \d+$/);
            else {
              live.set(result, nowMs + HOUR * 1000);
              all.push(result);
            }
          }
          if (token === undefined || (act !== 'out' && act !== 'everywhere')) continue;
          await sessionsOn().end(await sessionOf(token), act === 'everywhere');
          ended += 1;
          if (act === 'everywhere') live.clear();
          else live.delete(token);
        }
        for (const token of all) expect(await accountOf(token)).toBe(live.has(token) ? accountId : undefined);
      }),
      { numRuns: 30 },
    );
    expect(ended).toBeGreaterThan(20);
    nowMs = START_MS;
  }, 60_000);
});

describe('a renewal', () => {
  const renew = async (token: string, client = database.client, most = MOST) =>
    sessionsOn(client, most).renew(await sessionOf(token));
  const DAY = 24 * HOUR;

  it('begins the next session and ends the one before, until a day after the sign-in and not a second longer', async () => {
    nowMs = START_MS;
    const accountId = newAccount();
    let token = await begin(accountId);
    const seen: number[] = [];
    for (let renewals = 1; renewals <= 28; renewals += 1) {
      nowMs = START_MS + renewals * 3_000_000;
      const renewed = await renew(token);
      expect(renewed.signedInUntil).toBe(START_MS / 1000 + DAY);
      expect([await accountOf(token), await accountOf(renewed.token)]).toEqual([undefined, accountId]);
      seen.push(renewed.expiresInSeconds);
      token = renewed.token;
    }
    expect(seen).toEqual([...Array(27).fill(HOUR), 2_400]);
    nowMs = START_MS + DAY * 1000 - 1000;
    expect((await renew(token)).expiresInSeconds).toBe(1);
    nowMs = START_MS;
  });

  it('fails with 401 from one day after the sign-in', async () => {
    nowMs = START_MS;
    const session = await sessionOf(await begin(newAccount()));
    for (const authTime of [START_MS / 1000 - DAY, START_MS / 1000 - DAY - 1, 0])
      await expect(sessionsOn().renew({ ...session, authTime })).rejects.toMatchObject({
        code: 'invalid_session',
        status: 401,
      });
  });

  it('takes no room of its own: an account with as many as it may have renews each of them', async () => {
    nowMs = START_MS;
    const accountId = newAccount();
    const tokens = await times(MOST, () => begin(accountId));
    const renewed = [];
    for (const token of tokens) renewed.push(await renew(token));
    expect(await Promise.all(tokens.map(accountOf))).toEqual(Array(MOST).fill(undefined));
    expect(await Promise.all(renewed.map(({ token }) => accountOf(token)))).toEqual(
      Array(MOST).fill(accountId),
    );
    expect(await begin(accountId)).toMatch(/^session_quota/);
  });

  it('starts no session if a sign-out happens between its read and its write', async () => {
    const accountId = newAccount();
    for (const everywhere of [false, true]) {
      const session = await sessionOf(await begin(accountId));
      await sessionsOn().end(session, everywhere);
      await expect(sessionsOn().renew(session)).rejects.toMatchObject({ code: 'invalid_session' });
    }
    const item = await times(MOST, () => begin(accountId));
    expect(item.filter((result) => result.startsWith('session_quota'))).toEqual([]);
  });

  it('leaves one additional session, which expires by itself, if it fails between its two writes', async () => {
    nowMs = START_MS;
    const accountId = newAccount();
    const token = await begin(accountId);
    const store = new DynamoSessionStore(database.client, database.tables.sessions);
    const breaking = new Sessions({
      tokens: createSessionTokens(
        async () => ({ current: 'the key that signs sessions here' }),
        () => nowMs,
      ),
      store: {
        begin: (...given) => store.begin(...given),
        isLive: (session) => store.isLive(session),
        end: () => Promise.reject(new Error('it breaks off')),
        endAll: (id) => store.endAll(id),
      },
      clock: () => nowMs,
      ulid: systemUlid,
      most: MOST,
    });
    await expect(breaking.renew(await sessionOf(token))).rejects.toThrow('it breaks off');
    expect(await accountOf(token)).toBe(accountId);
    const more = await times(MOST, () => begin(accountId));
    expect(more.filter((result) => result.startsWith('session_quota'))).toHaveLength(2);
    nowMs += HOUR * 1000;
    expect(await accountOf(token)).toBeUndefined();
    const after = await times(MOST, () => begin(accountId));
    expect(after.filter((result) => result.startsWith('session_quota'))).toEqual([]);
    nowMs = START_MS;
  });

  it('replaces the session once if the SDK repeats a lost request', async () => {
    const accountId = newAccount();
    const token = await begin(accountId);
    const session = await sessionOf(token);
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstAnswers(client);
    const renewed = await sessionsOn(client).renew(session);
    expect(attempts()).toBeGreaterThanOrEqual(2);
    expect([await accountOf(token), await accountOf(renewed.token)]).toEqual([undefined, accountId]);
    client.destroy();
  });
});
