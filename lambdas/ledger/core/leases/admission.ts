/** The admission of a call by a lease. Settlement waits for one thing: that the record of the call is durable. */
import { isCapRejection } from '../../../access/core/key-state.ts';
import type { KeyStore } from '../../../access/core/key-store.ts';
import { overloaded, ServiceError } from '../../../platform/core/errors.ts';
import { least, type NanoUsd } from '../../../platform/core/money.ts';
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { type Admission, type Call, observeCall, type Settlement } from '../call.ts';
import { needsRepair } from '../key-rest.ts';
import type { UnbilledStore, WalletStore } from '../ports.ts';
import type { RecentRejections } from '../recent-rejections.ts';
import type { SettlementListener } from '../settlement.ts';
import type { CallOutcome } from '../usage-record.ts';
import type { Draw } from './draw.ts';
import type { Leases } from './leases.ts';
import type { LeasedRecord } from './ports.ts';
import type { RecordBatches } from './record-batches.ts';

export interface LeasedCallDependencies {
  readonly leases: Leases;
  readonly records: RecordBatches;
  /** Counts the cost of a call whose process paused for so long that its record cannot be written any more. */
  readonly onLost: (cost: NanoUsd) => void;
}

interface LeasedAdmissionDependencies extends SettlementDependencies, Pick<LeasedCallDependencies, 'leases'> {
  readonly keys: Pick<KeyStore, 'read'>;
  readonly recentRejections: RecentRejections;
}

interface SettlementDependencies extends Pick<LeasedCallDependencies, 'records' | 'onLost'> {
  readonly unbilled?: UnbilledStore | undefined;
  readonly wallets: Pick<WalletStore, 'balance'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onSettled: SettlementListener;
}

/**
 * Admits a call by the lease of its key. Undefined if the call is to take a hold: no lease accepts it, or a cap rejects it that
 * needs a repair. Throws 401, 403, 429, 402 or 503, with nothing drawn.
 */
export async function admitByLease(
  dependencies: LeasedAdmissionDependencies,
  call: Call,
): Promise<Admission | undefined> {
  const { leases, clock, keys, recentRejections } = dependencies;
  if (!leases.accepts(call)) return undefined;
  const drawn = leases.admitAtOnce(call);
  if (drawn !== undefined) return leasedAdmission(dependencies, call, drawn);
  const nowMs = clock();
  await recentRejections.check(call, nowMs);
  try {
    const draw = await leases.admit(call);
    return draw && leasedAdmission(dependencies, call, draw);
  } catch (failure) {
    if (!(failure instanceof ServiceError) || failure.status === 503) throw failure;
    const state = isCapRejection(failure) ? await keys.read(call.key.keyId) : undefined;
    if (state !== undefined && needsRepair(state, nowMs)) return undefined;
    recentRejections.remember(call.key.keyId, nowMs);
    throw failure;
  }
}

/** Returns the admission of a call that has drawn from a lease. */
function leasedAdmission(dependencies: SettlementDependencies, call: Call, draw: Draw): Admission {
  const { output, amount, spentAmount, headers } = draw;
  const { observe, observed } = observeCall(dependencies.clock);
  let settlement: Promise<Settlement> | undefined;
  return {
    observe,
    output,
    amount,
    spentAmount,
    headers,
    settle: (outcome) => {
      settlement ??= settle(dependencies, { call, draw }, { ...outcome, ...observed() });
      return settlement;
    },
  };
}

/** A database that takes longer is out of order. Then the caller gets 503, and the record is sent until it is durable. */
const MAX_RECORD_MS = 20_000;

/** Throws 503 if the record could not be written in time. Then recovery releases the call, at the operator's loss. */
async function settle(
  dependencies: SettlementDependencies,
  { call, draw }: { readonly call: Call; readonly draw: Draw },
  outcome: CallOutcome,
): Promise<Settlement> {
  const { records, wallets, unbilled, clock, log, onSettled, onLost } = dependencies;
  const { requestId, key, scope } = call;
  const { lease, amount } = draw;
  if (outcome.cost > amount)
    log.error('a call came to more than its hold', { requestId, unpaid: String(outcome.cost) });
  const { tokens, ...counted } = outcome;
  const record: LeasedRecord = {
    ...counted,
    id: requestId,
    lease: lease.id,
    keyId: key.keyId,
    accountId: key.accountId,
    created: Math.floor(clock() / 1000),
    cost: least(outcome.cost, amount),
    heldAmount: amount,
    kind: scope.kind,
  };
  const recorded = records.put(record, lease.span.fenceMs).then(
    () => {
      if (lease.isAlive) lease.settle(draw, { created: record.created, cost: record.cost, tokens });
      onSettled(record);
    },
    () => {
      log.error('a call was recorded too late', { requestId, unpaid: String(record.cost) });
      onLost(record.cost);
      throw overloaded();
    },
  );
  await records.within(recorded, MAX_RECORD_MS);
  if (record.unbilled !== undefined && record.route !== null)
    await unbilled
      ?.add(record.route, record.unbilled)
      .catch(() => log.warn('unbilled usage not counted', { requestId }));
  return {
    record,
    balance: await lease.readBalance(() => wallets.balance(key.accountId)).catch(() => undefined),
  };
}
