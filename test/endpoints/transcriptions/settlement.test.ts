import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SettlementOrder } from '../../../lambdas/inference/core/kinds/transcriptions/order.ts';
import { HOLD_TTL_SECONDS, NOON_MS } from '../../../lambdas/ledger/testing/running-ledger.ts';
import { audio, bodyOf, FORM_TYPE, file, formOf } from '../../../lambdas/platform/testing/mutated-forms.ts';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { type HeldKey, UploadService } from './upload-service.ts';

const CREDIT = 10n ** 12n;

/** A second at 0.006 USD a minute. */
const COST = 100_000n;
const COST_USD = '0.0001';
const BALANCE_USD = '999.9999';

let database: TestDatabase;
let service: UploadService;
let nowMs = NOON_MS;
let key: HeldKey;
let orders: SettlementOrder[] = [];

beforeAll(async () => {
  database = await startDatabase();
  service = new UploadService(database, () => nowMs);
  await service.start();
});
beforeEach(async () => {
  nowMs = NOON_MS;
  service.errors.length = 0;
  orders = [];
  service.workflow = settling;
  key = await service.open(CREDIT);
});
afterAll(async () => {
  service.stop();
  await database.stop();
});

const settling = async (order: SettlementOrder) => {
  orders.push(order);
  return service.settle(order);
};

const failLost = async (): Promise<never> => {
  throw new Error('no answer');
};

const transcribe = (headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  service.post(key, bodyOf(formOf(file(audio))).body, { ...FORM_TYPE, ...headers });

const receiptOf = ({ status, headers }: Response) => ({
  status,
  cost: headers.get('x-cost-usd'),
  balance: headers.get('x-balance-usd'),
});

const walletOf = async () => {
  const { balance, holds = [] } = (await service.ledger.wallets.read(key.accountId)) ?? {};
  return { balance, holds: holds.length };
};

const orderOf = (): SettlementOrder => {
  const [order] = orders;
  if (order === undefined) throw new Error('nothing was handed to the workflow');
  return order;
};

const recover = async () => {
  nowMs += HOLD_TTL_SECONDS * 1000;
  const wallet = await service.ledger.wallets.read(key.accountId);
  if (wallet === undefined) throw new Error('the account has no wallet');
  return service.ledger.recovery.recoverWallet(wallet);
};

/** A call whose process stops once it has handed its order over, and goes on without an answer when it is woken. */
async function stop() {
  const response = Promise.withResolvers<never>();
  const handedOver = new Promise<void>((resolve) => {
    service.workflow = (order) => {
      orders.push(order);
      resolve();
      return response.promise;
    };
  });
  const call = transcribe();
  await handedOver;
  return {
    wake: () => {
      response.reject(new Error('no answer'));
      return call;
    },
  };
}

const PAID = { balance: CREDIT - COST, holds: 0 };

/** Has the first end of a hold fail, as if the step died before it. */
function dieBeforeHoldEnds(): void {
  const { wallets } = service.ledger;
  const { endHold } = wallets;
  wallets.endHold = async () => {
    wallets.endHold = endHold;
    throw new Error('the process died');
  };
}

describe('a transcription', () => {
  it('settles in its endpoint if the workflow was not started', async () => {
    service.workflow = failLost;
    expect(receiptOf(await transcribe())).toEqual({ status: 200, cost: COST_USD, balance: BALANCE_USD });
    expect(await walletOf()).toEqual(PAID);
  });

  it('costs its price once if the workflow settles it and the response of the workflow is lost', async () => {
    service.workflow = async (order) => {
      await settling(order);
      return failLost();
    };
    expect(receiptOf(await transcribe())).toMatchObject({ status: 200, cost: COST_USD });
    expect(await walletOf()).toEqual(PAID);
  });

  it('costs its price once, with the same receipt, if two executions settle it at the same time', async () => {
    service.workflow = async (order) => {
      const [one, other] = await Promise.all([service.settle(order), service.settle(order)]);
      expect([other.record.cost, other.balance]).toEqual([one.record.cost, one.balance]);
      return one;
    };
    expect(receiptOf(await transcribe())).toEqual({ status: 200, cost: COST_USD, balance: BALANCE_USD });
    expect(await walletOf()).toEqual(PAID);
    expect(service.errors).toEqual([]);
  });

  it('releases its hold on the next attempt if a step died after it had written the record', async () => {
    service.workflow = async (order) => {
      dieBeforeHoldEnds();
      service.ledger.recovery.recover = async () => {
        Reflect.deleteProperty(service.ledger.recovery, 'recover');
        throw new Error('the process died');
      };
      await expect(service.settle(order)).rejects.toThrow('the process died');
      expect((await walletOf()).holds).toBe(1);
      return service.settle(order);
    };
    expect(receiptOf(await transcribe())).toEqual({ status: 200, cost: COST_USD, balance: BALANCE_USD });
    expect(await walletOf()).toEqual(PAID);
  });

  it('settles in an execution whose caller has died, and not again if the caller continues', async () => {
    const { wake } = await stop();
    expect(await service.settle(orderOf())).toMatchObject({ record: { cost: COST } });
    expect(await recover()).toEqual({ settled: 0, released: 0 });
    expect(receiptOf(await wake())).toMatchObject({ status: 200, cost: COST_USD });
    expect(await walletOf()).toEqual(PAID);
  });

  it('costs nothing when its hold was recovered before its execution ran', async () => {
    const { wake } = await stop();
    expect(await recover()).toEqual({ settled: 0, released: 1 });
    expect(await service.settle(orderOf())).toMatchObject({
      record: { cost: 0n, status: 'expired' },
      balance: CREDIT,
    });
    expect(receiptOf(await wake())).toMatchObject({ status: 200, cost: '0' });
    expect(await walletOf()).toEqual({ balance: CREDIT, holds: 0 });
  });
});

describe('a transcription that no process could settle', () => {
  /** Fails each write as if the database did not respond, with the metadata of an SDK's error. */
  const unreachable = () => {
    const { usage } = service.ledger;
    const { put } = usage;
    usage.put = async () => {
      throw Object.assign(new Error('no answer'), { $metadata: {} });
    };
    return () => {
      usage.put = put;
    };
  };

  it('returns 503, and its hold ends at no cost', async () => {
    const restore = unreachable();
    const response = await transcribe();
    restore();
    expect(receiptOf(response)).toEqual({ status: 503, cost: null, balance: null });
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await recover()).toEqual({ settled: 0, released: 1 });
    expect(await walletOf()).toEqual({ balance: CREDIT, holds: 0 });
  });

  it('replays its output from the idempotency key if it was billed after all', async () => {
    const restore = unreachable();
    const headers = { 'idempotency-key': 'kept' };
    expect((await transcribe(headers)).status).toBe(503);
    restore();
    await service.settle(orderOf());
    const again = await transcribe(headers);
    expect([again.status, again.headers.get('idempotent-replayed'), await again.json()]).toEqual([
      200,
      'true',
      { text: 'words' },
    ]);
    expect(await walletOf()).toEqual(PAID);
  });
});
