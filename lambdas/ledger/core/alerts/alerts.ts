/**
 * Alerts of money, each an event once a crossing.
 *
 * - `balance.low`: the sweep finds that the remaining credit is below a threshold of its account. The next one follows only
 *   after a sweep has found it above all thresholds.
 * - `credit.exhausted`: a wallet does not cover a call. The next one follows only once the wallet has received more than it
 *   had then. Until that, its remaining credit never exceeds what it was.
 *
 * A crossing is stored with its event in one conditional write, so one of all racing processes publishes it. What a process
 * that died has not published, the next sweep publishes, under the same id.
 */
import { BoundedMap } from '../../../platform/core/bounded-map.ts';
import { greatest, type NanoUsd, usdJson } from '../../../platform/core/money.ts';
import type { Log, UlidSource } from '../../../platform/core/ports.ts';
import { type CreditShortage, receivedBy } from '../credit-shortage.ts';
import { type AccountAlerts, type AccountCredit, type AlertStore, isLow, type MoneyEvent } from './ports.ts';

/** The UTC days whose cost is the recent pace. */
export const PACE_DAYS = 7;

/** Bounds the memory: about 100 bytes an entry. */
const MAX_WALLETS = 10_000;

export interface AlertsDependencies {
  readonly store: AlertStore;
  readonly publish: (event: MoneyEvent) => Promise<void>;
  /** Returns whether the release before is gone, which neither reads alerts nor publishes their events. */
  readonly isFinished: () => boolean;
  readonly ulid: UlidSource;
  readonly log: Pick<Log, 'warn'>;
}

interface SweptAlertsDependencies extends AlertsDependencies {
  readonly readCredit: ReadCredit;
}

type ReadCredit = (accountId: string, days: number) => Promise<AccountCredit>;

/** Returns a function that records a rejection for lack of credit. It never throws: the sweep publishes what it left. */
export function createExhaustion(dependencies: AlertsDependencies) {
  const { store, isFinished, ulid, log } = dependencies;
  /** Has what each exhausted wallet had received: the calls that follow write nothing. */
  const recorded = new BoundedMap<string, NanoUsd>(MAX_WALLETS);
  return async (accountId: string, { wallet, estimate }: CreditShortage): Promise<void> => {
    const received = receivedBy(wallet);
    // A wallet that never had credit cannot run out of it.
    if (!isFinished() || received <= 0n || recorded.get(accountId) === received) return;
    const event: MoneyEvent = {
      accountId,
      type: 'credit.exhausted',
      id: `evt_${ulid()}`,
      data: {
        balance: usdJson(greatest(wallet.balance, 0n)),
        currency: 'USD',
        estimate: usdJson(estimate),
      },
    };
    try {
      const isCrossing = await store.exhaust(event, received);
      recorded.set(accountId, received);
      if (isCrossing) await publish(dependencies, event);
    } catch (failure) {
      log.warn('an alert is left to the sweep', { accountId, name: (failure as Error).name });
    }
  };
}

/** Publishes what is left, and finds the accounts whose credit has become low. Throws after all if some failed. */
export async function sweepAlerts(dependencies: SweptAlertsDependencies): Promise<void> {
  const { store, isFinished } = dependencies;
  if (!isFinished()) return;
  const failures: unknown[] = [];
  for await (const page of store.pages()) {
    const results = await Promise.allSettled(page.map((alerts) => visit(dependencies, alerts)));
    failures.push(...results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])));
  }
  if (failures.length > 0)
    throw new Error(`the alerts of ${failures.length} accounts failed`, { cause: failures[0] });
}

async function visit(dependencies: SweptAlertsDependencies, alerts: AccountAlerts): Promise<void> {
  const { store, readCredit, ulid } = dependencies;
  for (const event of alerts.unpublished) await publish(dependencies, event);
  if (!hasThreshold(alerts) && !isLow(alerts)) return;
  const { credit, crossed } = await compare(readCredit, alerts);
  if ((crossed !== undefined) === isLow(alerts)) return;
  if (crossed === undefined) {
    await store.turn(alerts);
    return;
  }
  const event: MoneyEvent = {
    accountId: alerts.accountId,
    type: 'balance.low',
    id: `evt_${ulid()}`,
    data: { balance: usdJson(greatest(credit.remaining, 0n)), currency: 'USD', ...crossed },
  };
  if (await store.turn(alerts, event)) await publish(dependencies, event);
}

/** Returns whether the credit is below a threshold at this moment, which the next sweep may find only minutes later. */
export const isBelowThreshold = async (readCredit: ReadCredit, alerts: AccountAlerts): Promise<boolean> =>
  hasThreshold(alerts) && (await compare(readCredit, alerts)).crossed !== undefined;

const hasThreshold = ({ lowUsd, lowDays }: AccountAlerts): boolean =>
  lowUsd !== undefined || lowDays !== undefined;

async function compare(readCredit: ReadCredit, alerts: AccountAlerts) {
  const credit = await readCredit(alerts.accountId, alerts.lowDays === undefined ? 0 : PACE_DAYS);
  return { credit, crossed: crossedThreshold(alerts, credit) };
}

/** Returns the threshold that the credit is below; undefined if it is below none. */
function crossedThreshold({ lowUsd, lowDays }: AccountAlerts, { remaining, spent }: AccountCredit) {
  if (lowUsd !== undefined && remaining < lowUsd)
    return { threshold: 'balance_low_usd', value: usdJson(lowUsd) };
  if (lowDays !== undefined && remaining * BigInt(PACE_DAYS) < spent * BigInt(lowDays))
    return { threshold: 'balance_low_days', value: lowDays };
  return undefined;
}

async function publish({ publish: send, store }: AlertsDependencies, event: MoneyEvent): Promise<void> {
  await send(event);
  await store.markPublished(event);
}
