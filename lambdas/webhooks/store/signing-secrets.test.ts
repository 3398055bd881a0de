import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RotatedSecret } from '../../platform/aws/secrets.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { MAX_REPLACED_SECRETS } from '../core/subscription.ts';
import { SUBSCRIPTION } from '../testing/memory-deliveries.ts';
import { DynamoSigningSecretStore } from './signing-secret-store.ts';
import { createSealer } from './webhook-keys.ts';

const NOON = Date.UTC(2026, 6, 15, 12) / 1000;
const DAY = 86_400;

const database = fileDatabase();
let store: DynamoSigningSecretStore;
let createdCount = 0;

beforeAll(async () => {
  const sealer = createSealer(async () => ({ current: 'the webhook key' }));
  store = new DynamoSigningSecretStore(database.client, database.tables.webhooks, sealer);
});

/** A new subscription of an account of its own, with its first secret. */
async function subscribed() {
  createdCount += 1;
  const subscription = { ...SUBSCRIPTION, accountId: `acc_${createdCount}`, id: `wh_${createdCount}` };
  expect(await store.create(subscription, 'first', 10)).toBe('created');
  const secretsAt = async (now: number) => (await store.open(subscription, now * 1000))?.secrets;
  const rotate = (secret: string, now: number) =>
    store.rotate(subscription, secret, { nowMs: now * 1000, until: now + DAY });
  return { subscription, secretsAt, rotate };
}

describe('a signing secret', () => {
  it('signs in addition to its replacement until its last second, and not from then on', async () => {
    const { secretsAt, rotate } = await subscribed();
    expect(await secretsAt(NOON)).toEqual(['first']);
    expect(await rotate('second', NOON)).toBe('rotated');
    expect(await secretsAt(NOON)).toEqual(['second', 'first']);
    expect(await secretsAt(NOON + DAY - 1)).toEqual(['second', 'first']);
    expect(await secretsAt(NOON + DAY)).toEqual(['second']);
  });

  it('counts among at most five, the latest first; slots become free as secrets expire', async () => {
    const { secretsAt, rotate } = await subscribed();
    for (let hour = 1; hour <= MAX_REPLACED_SECRETS; hour += 1)
      expect(await rotate(`of hour ${hour}`, NOON + hour * 3_600)).toBe('rotated');
    const full = NOON + 5 * 3_600;
    expect(await secretsAt(full)).toEqual(['of hour 4', 'of hour 3', 'of hour 2', 'of hour 1', 'first']);
    expect(await rotate('one too many', full)).toBe('conflict');
    const free = NOON + DAY + 3_600;
    expect(await rotate('of the next day', free)).toBe('rotated');
    const labels = ['of the next day', 'of hour 4', 'of hour 3', 'of hour 2', 'of hour 1'];
    expect(await secretsAt(free)).toEqual(labels);
  });

  it('signs next to the first one if its rotation succeeds; at least one of two concurrent rotations does', async () => {
    const { secretsAt, rotate } = await subscribed();
    const results = await Promise.all([rotate('a', NOON), rotate('b', NOON)]);
    const rotations = results.filter((result) => result === 'rotated').length;
    expect(rotations).toBeGreaterThanOrEqual(1);
    // Whichever was made, the first one signs on beside it.
    expect((await secretsAt(NOON))?.slice(0, rotations)).toHaveLength(rotations);
    expect(await secretsAt(NOON)).toHaveLength(rotations + 1);
    expect((await secretsAt(NOON))?.at(-1)).toBe('first');
  });

  it('belongs to its own subscription', async () => {
    const { subscription } = await subscribed();
    const other = { ...subscription, id: 'wh_other' };
    expect(await store.open(other, NOON * 1000)).toBeUndefined();
    expect(await store.rotate(other, 'mine now', { nowMs: NOON * 1000, until: NOON })).toBe('absent');
  });

  it('remains uncreated if the account has its maximum number of subscriptions', async () => {
    const { subscription } = await subscribed();
    expect(await store.create({ ...subscription, id: 'wh_second' }, 'secret', 1)).toBe('full');
    expect(await store.open({ ...subscription, id: 'wh_second' }, NOON * 1000)).toBeUndefined();
  });
});

describe('the signing secrets of all webhooks', () => {
  const keyed = (keys: RotatedSecret) =>
    new DynamoSigningSecretStore(
      database.client,
      database.tables.webhooks,
      createSealer(async () => keys),
    );
  const [old, latest] = ['the webhook key', 'the key after it'];
  const rotated = () => keyed({ current: latest, previous: old });

  it('open by the new key alone once they are sealed again, and not before', async () => {
    const { subscription, rotate } = await subscribed();
    await rotate('second', NOON);
    const secrets = async () => (await keyed({ current: latest }).open(subscription, NOON * 1000))?.secrets;
    await expect(secrets()).rejects.toThrow();
    expect(await rotated().sealAgain()).toEqual({ sealed: createdCount, failed: [] });
    expect(await secrets()).toEqual(['second', 'first']);
    expect(await rotated().sealAgain()).toEqual({ sealed: createdCount, failed: [] });
    expect(await secrets()).toEqual(['second', 'first']);
  });

  it('stay unchanged if no key opens them, and appear by name in the result', async () => {
    const { subscription } = await subscribed();
    const lost = keyed({ current: 'a third key' });
    expect((await lost.sealAgain()).failed).toHaveLength(createdCount);
    expect((await rotated().sealAgain()).failed).toEqual([]);
    expect((await rotated().open(subscription, NOON * 1000))?.secrets).toEqual(['first']);
  });

  it('lose no rotation that is made meanwhile: its webhook is named, and sealed by the next run', async () => {
    const { subscription, rotate } = await subscribed();
    let isRotated = false;
    const slow = new DynamoSigningSecretStore(database.client, database.tables.webhooks, {
      ...createSealer(async () => ({ current: latest, previous: old })),
      async open(purpose, id, bytes) {
        if (id.endsWith(`/${subscription.id}`) && !isRotated) {
          isRotated = true;
          await rotate('second', NOON);
        }
        return createSealer(async () => ({ current: latest, previous: old })).open(purpose, id, bytes);
      },
    });
    expect((await slow.sealAgain()).failed).toEqual([subscription.id]);
    expect((await slow.sealAgain()).failed).toEqual([]);
    expect((await keyed({ current: latest }).open(subscription, NOON * 1000))?.secrets).toEqual([
      'second',
      'first',
    ]);
  });
});
