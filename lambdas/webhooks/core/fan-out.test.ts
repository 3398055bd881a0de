import { describe, expect, it } from '@jest/globals';
import { EVENT, MemoryTriggers, SUBSCRIPTION } from '../testing/memory-deliveries.ts';
import type { Delivery } from './delivery.ts';
import { fanOut } from './fan-out.ts';
import type { Subscription } from './subscription.ts';

const MESSAGE = {
  id: EVENT.id,
  'detail-type': EVENT.type,
  time: EVENT.created,
  detail: { account_id: EVENT.accountId, data: EVENT.data },
};

/** Fans one event out to subscriptions that the store returns one a page. */
async function fannedOut(subscriptions: readonly Subscription[], mail?: () => Promise<void>) {
  let failure: unknown;
  let marked = 0;
  const triggers = new MemoryTriggers();
  const deliveries: Delivery[] = [];
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  await fanOut(
    {
      events: {
        put: async () => ({ ...EVENT, fannedOut: false }),
        markFannedOut: async () => {
          marked += 1;
        },
        get: async () => EVENT,
      },
      subscriptions: {
        list: async ({ after }) => {
          const index = Number(after ?? 0);
          const next = index + 1 < subscriptions.length ? String(index + 1) : undefined;
          return { entries: subscriptions.slice(index, index + 1), next };
        },
      },
      deliveries: {
        create: async (delivery) => {
          deliveries.push(delivery);
          return delivery;
        },
      },
      triggers,
      mail,
      clock: () => EVENT.receivedMs,
      log,
      onCreated: () => {},
      onRejected: () => {},
    },
    MESSAGE,
  ).catch((reason: unknown) => {
    failure = reason;
  });
  return {
    failure,
    marked,
    deliveries,
    queued: triggers.queued.map(({ to, trigger }) => [trigger.webhookId, to]),
  };
}

describe('an event', () => {
  it('reaches the subscriptions of all pages, and takes the retry lane if the receiver failed the last time', async () => {
    const { deliveries, queued } = await fannedOut([
      SUBSCRIPTION,
      { ...SUBSCRIPTION, id: 'wh_2', failingSinceMs: 1 },
      { ...SUBSCRIPTION, id: 'wh_3', events: ['listing.installed'] },
      { ...SUBSCRIPTION, id: 'wh_4' },
    ]);
    expect(deliveries.map(({ webhookId }) => webhookId)).toEqual(['wh_1', 'wh_2', 'wh_4']);
    expect(queued).toEqual([
      ['wh_1', 'deliveries'],
      ['wh_4', 'deliveries'],
      ['wh_2', 'retries'],
    ]);
  });

  it('makes its deliveries before its mail, and comes again until the mail is sent', async () => {
    const failure = new Error('SES answered 503');
    const failed = await fannedOut([SUBSCRIPTION], async () => {
      throw failure;
    });
    expect(failed).toMatchObject({ failure, marked: 0, queued: [['wh_1', 'deliveries']] });
    expect(await fannedOut([SUBSCRIPTION], async () => {})).toMatchObject({ failure: undefined, marked: 1 });
  });
});
