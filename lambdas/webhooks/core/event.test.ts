import { describe, expect, it } from '@jest/globals';
import { deliveryId, firstIdAt } from './delivery.ts';
import {
  MAX_DATA_BYTES,
  parseBusEvent,
  payloadOf,
  requireWritable,
  type StoredEvent,
  SUBSCRIBABLE_TYPES,
} from './event.ts';

const message = {
  id: '0b2a3c51-1c8e-4c4e-9c5e-1f6a5f1f2d3c',
  'detail-type': 'purchase.completed',
  time: '2026-11-21T05:00:00Z',
  detail: { account_id: 'acc_1', data: { amount: 5 } },
};

const stored = (changes: Partial<StoredEvent> = {}): StoredEvent => ({
  accountId: 'acc_1',
  id: 'evt_1',
  type: 'purchase.completed',
  created: '2026-11-21T05:00:00Z',
  data: {},
  receivedMs: Date.UTC(2026, 10, 21, 5),
  fannedOut: false,
  ...changes,
});

describe('the types of events', () => {
  it('match the list to which a receiver may subscribe', () => {
    expect(SUBSCRIBABLE_TYPES).toEqual([
      'listing.installed',
      'purchase.completed',
      'subscription.created',
      'subscription.updated',
      'subscription.canceled',
      'app.build.scanned',
      'release.created',
      'release.rolled_back',
      'review.created',
      'payout.paid',
      'endpoint.disabled',
      'balance.low',
      'credit.exhausted',
    ]);
  });
});

describe('a type of layout 2', () => {
  it.each(['balance.low', 'credit.exhausted'] as const)(
    'becomes an event as %s, and is accepted in subscriptions once the upgrade is finished',
    (type) => {
      expect(parseBusEvent({ ...message, 'detail-type': type })?.type).toBe(type);
      requireWritable([type], { layoutOf: () => 2 });
      requireWritable(['purchase.completed'], { layoutOf: () => 1 });
      const rejected = () => requireWritable(['purchase.completed', type], { layoutOf: () => 1 });
      expect(rejected).toThrow(expect.objectContaining({ code: 'upgrade_unfinished', param: 'events' }));
    },
  );
});

describe('a message of the bus', () => {
  it('becomes an event with the bus’s id, or with the publisher’s own', () => {
    expect(parseBusEvent(message)).toEqual({
      accountId: 'acc_1',
      id: message.id,
      type: 'purchase.completed',
      created: '2026-11-21T05:00:00Z',
      data: { amount: 5 },
    });
    const ownEvent = { ...message, detail: { ...message.detail, id: 'order.42:paid' } };
    expect(parseBusEvent(ownEvent)?.id).toBe('order.42:paid');
  });

  it('contains up to 240 KB of data, to the byte', () => {
    const dataOf = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
    const sized = (bytes: number) => ({ ...message, detail: { account_id: 'acc_1', data: dataOf(bytes) } });
    expect(parseBusEvent(sized(240 * 1024))).toMatchObject({ accountId: 'acc_1' });
    expect(parseBusEvent(sized(240 * 1024 + 1))).toBeUndefined();
  });

  it.each([
    ['of another type', { 'detail-type': 'purchase.refunded' }],
    ['without an account', { detail: { data: {} } }],
    ['without data', { detail: { account_id: 'acc_1' } }],
    ['with data that is no object', { detail: { account_id: 'acc_1', data: [1] } }],
    ['with an id that no header can carry', { detail: { ...message.detail, id: 'a\r\nb' } }],
    ['with too much data', { detail: { account_id: 'acc_1', data: { text: 'x'.repeat(MAX_DATA_BYTES) } } }],
  ])('counts as foreign: %s', (_what, changes) => {
    expect(parseBusEvent({ ...message, ...changes })).toBeUndefined();
    expect(parseBusEvent('text')).toBeUndefined();
    expect(parseBusEvent(null)).toBeUndefined();
  });
});

describe('a payload', () => {
  it('contains id, type, time and data, and no internal field', () => {
    expect(JSON.parse(payloadOf(stored()))).toEqual({
      id: 'evt_1',
      type: 'purchase.completed',
      created: '2026-11-21T05:00:00Z',
      data: {},
    });
  });
});

describe('the id of a delivery', () => {
  it('stays the same for the same event and subscription, and differs for another event, account or subscription', () => {
    const ids = [
      deliveryId(stored(), 'wh_1'),
      deliveryId(stored(), 'wh_2'),
      deliveryId(stored({ id: 'evt_2' }), 'wh_1'),
      deliveryId(stored({ accountId: 'acc_2' }), 'wh_1'),
    ];
    expect(new Set(ids).size).toBe(4);
    expect(deliveryId(stored(), 'wh_1')).toBe(ids[0]);
    expect(ids[0]).toMatch(/^dlv_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('sorts by the event’s arrival', () => {
    const at = Date.UTC(2026, 10, 21, 5);
    const id = deliveryId(stored({ receivedMs: at }), 'wh_1');
    expect(firstIdAt(at)).toMatch(/^dlv_[0-9A-HJKMNP-TV-Z]{10}0{16}$/);
    expect(id > firstIdAt(at)).toBe(true);
    expect(id < firstIdAt(at + 1)).toBe(true);
  });
});
