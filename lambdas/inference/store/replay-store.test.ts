import { randomBytes } from 'node:crypto';
import { GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { type Seal, seal, unseal } from '../../platform/system/sealing.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import type { ReplayClaim, ReplayStore } from '../core/idempotency/ports.ts';
import { MemoryReplays } from '../testing/idempotency/memory-replays.ts';
import { DynamoReplayStore } from './replay-store.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);
const DAY_SECONDS = 86_400;
const CREDENTIAL = 'uis_the-callers-own-key';
const under = (id: string): Seal => ({ secret: CREDENTIAL, purpose: 'uis-replay-1', id });

const database = fileDatabase();
let store: DynamoReplayStore;
let createdCount = 0;

beforeAll(async () => {
  store = new DynamoReplayStore(database.client, database.tables.replays);
});

function claimOf(changes: Partial<ReplayClaim> = {}): ReplayClaim {
  createdCount += 1;
  return {
    id: `id-${createdCount}`,
    requestHash: 'hash',
    requestId: `req_${createdCount}`,
    stream: false,
    expires: NOW_MS / 1000 + DAY_SECONDS,
    ...changes,
  };
}

const CLAIM_MS = 55_000;

/** Each claim holds in the table, and in the memory of the tests of the core. */
describe.each<[string, () => ReplayStore]>([
  ['in the table', () => new DynamoReplayStore(database.client, database.tables.replays)],
  ['in memory', () => new MemoryReplays()],
])('a claim %s', (_where, open) => {
  let store: ReplayStore;
  beforeAll(() => {
    store = open();
  });
  const take = (claim: ReplayClaim, nowMs = NOW_MS) =>
    store.claim(claim, { nowMs, claimedUntilMs: nowMs + CLAIM_MS });
  const storePaid = (claim: ReplayClaim) =>
    store.storeResponse(claim, CREDENTIAL, { body: 'paid', headers: {} });
  const afterClaim = NOW_MS + CLAIM_MS + 1;

  it('belongs to exactly one of fifty concurrent calls', async () => {
    const id = 'raced';
    const claims = Array.from({ length: 50 }, () => claimOf({ id }));
    const results = await Promise.all(claims.map((claim) => take(claim)));
    expect(results.filter((result) => result === 'claimed')).toHaveLength(1);
  });

  it('belongs to its call if the SDK retries it after a lost response', async () => {
    const claim = claimOf();
    expect(await take(claim)).toBe('claimed');
    expect(await take(claim)).toBe('claimed');
  });

  it('does not replace a stored response if its request arrives once more, late', async () => {
    const claim = claimOf();
    await take(claim);
    await storePaid(claim);
    expect(await take(claim)).toMatchObject({ isDone: true });
    expect(await take(claim, afterClaim)).toMatchObject({ isDone: true });
  });

  it('passes from a dead call to another once its time has passed, but never from a streamed call', async () => {
    const dead = claimOf();
    const streamed = claimOf({ stream: true });
    await Promise.all([take(dead), take(streamed)]);
    const next = (claim: ReplayClaim, nowMs: number) =>
      take(claimOf({ id: claim.id, stream: claim.stream }), nowMs);
    expect(await next(dead, NOW_MS + CLAIM_MS)).toMatchObject({ requestId: dead.requestId });
    expect(await next(streamed, afterClaim)).toMatchObject({ requestId: streamed.requestId, stream: true });
    expect(await next(dead, afterClaim)).toBe('claimed');
  });

  it('stays with a call that renews it, until that call has lost it or has its response', async () => {
    const claim = claimOf();
    await take(claim);
    expect(await store.renew(claim, afterClaim + CLAIM_MS)).toBe(true);
    const next = claimOf({ id: claim.id });
    expect(await take(next, afterClaim)).toMatchObject({ requestId: claim.requestId });
    expect(await take(next, afterClaim + CLAIM_MS + 1)).toBe('claimed');
    expect(await store.renew(claim, afterClaim)).toBe(false);
    expect(await store.read(claim.id, NOW_MS)).toMatchObject({ requestId: next.requestId });
    await storePaid(next);
    expect(await store.renew(next, afterClaim)).toBe(false);
    expect(await store.renew(claimOf(), afterClaim)).toBe(false);
  });

  it('counts as absent from the second it expires, though DynamoDB deletes it later', async () => {
    const claim = claimOf();
    await take(claim);
    await storePaid(claim);
    const late = NOW_MS + DAY_SECONDS * 1000;
    expect(await store.read(claim.id, late - 1)).toMatchObject({ isDone: true });
    expect(await store.read(claim.id, late)).toBeUndefined();
    expect(await take(claimOf({ id: claim.id }), late)).toBe('claimed');
  });

  it('ends only if its own call frees it', async () => {
    const claim = claimOf();
    await take(claim);
    await store.free({ ...claim, requestId: 'req_other' });
    expect(await store.read(claim.id, NOW_MS)).toBeDefined();
    await store.free(claim);
    await store.free(claim);
    expect(await store.read(claim.id, NOW_MS)).toBeUndefined();
  });

  it('remains if its response is stored, because the call may have been billed', async () => {
    const claim = claimOf();
    await take(claim);
    await storePaid(claim);
    await store.free(claim);
    expect(await store.read(claim.id, NOW_MS)).toMatchObject({ isDone: true });
  });

  it('accepts no response of a call that has lost it or freed it', async () => {
    const claim = claimOf();
    await take(claim);
    const next = claimOf({ id: claim.id });
    await take(next, afterClaim);
    expect(await storePaid(claim)).toBe(false);
    expect(await store.read(claim.id, NOW_MS)).toMatchObject({ requestId: next.requestId, isDone: false });
    await store.free(next);
    expect([await storePaid(next), await store.read(claim.id, NOW_MS)]).toEqual([false, undefined]);
    const kept = claimOf();
    await take(kept);
    expect(await storePaid(kept)).toBe(true);
  });
});

describe('a stored response', () => {
  const storeResponse = async (body: string) => {
    const claim = claimOf();
    await store.claim(claim, { nowMs: NOW_MS, claimedUntilMs: NOW_MS + CLAIM_MS });
    await store.storeResponse(claim, CREDENTIAL, { body, headers: { 'x-route': 'r' } });
    const replay = await store.read(claim.id, NOW_MS);
    if (replay === undefined) throw new Error('the claim is gone');
    return replay;
  };

  it('returns byte for byte as it was written, and uses further items if it is large', async () => {
    const large = randomBytes(900 * 1024).toString('base64');
    for (const body of ['', '{"a":"Grüße, 世界 🌍"}', large]) {
      const replay = await storeResponse(body);
      expect(await store.open(replay, CREDENTIAL)).toEqual({ body, headers: { 'x-route': 'r' } });
    }
    const { Items: items = [] } = await database.client.send(
      new ScanCommand({ TableName: database.tables.replays, ProjectionExpression: 'replay_id' }),
    );
    expect(items.filter((item) => item.replay_id?.S?.includes('#')).length).toBeGreaterThanOrEqual(2);
  });

  it('opens with its own key only, and is stored without readable text', async () => {
    const replay = await storeResponse('a secret answer, a secret answer, a secret answer');
    await expect(store.open(replay, 'uis_another-key')).rejects.toThrow();
    const { Item: item } = await database.client.send(
      new GetItemCommand({ TableName: database.tables.replays, Key: { replay_id: { S: replay.id } } }),
    );
    const stored = JSON.stringify(item) + Buffer.from(item?.answer?.B ?? []).toString('latin1');
    expect(stored).not.toContain('secret');
  });
});

describe('the seal of a stored response', () => {
  it('opens with the same key and row to any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ minLength: 1 }), async (text, id) => {
        expect(await unseal(under(id), await seal(under(id), text))).toBe(text);
      }),
    );
  });

  it('detects a changed byte anywhere, another row and another key', async () => {
    const bytes = await seal(under('row'), 'text');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(unseal(under('row'), changed)).rejects.toThrow();
    }
    await expect(unseal(under('other'), bytes)).rejects.toThrow();
    await expect(unseal({ ...under('row'), secret: 'uis_other' }, bytes)).rejects.toThrow();
    await expect(unseal({ ...under('row'), purpose: 'uis-event-1' }, bytes)).rejects.toThrow();
  });
});
