/** Reading an account's usage records: sums of the closed days that are to be proven, and of the days after them. */
import type { AuditedCall, AuditStore, UsagePosition, UsageSums } from './ports.ts';

export const DAY_SECONDS = 86_400;

/**
 * By then a call is settled or recovered, whatever became of it: 15 minutes for its upload, 15 for its answer, 20 until
 * its hold expires and the sweeper's next runs, and as much again. So a day is closed that long after its end, and a
 * record's request id is at most that much older than the record.
 */
export const SETTLED_SECONDS = 7200;

/** By how much the clocks of two processes may differ. */
export const SKEW_SECONDS = 60;

/** What is to be read. Days are UTC days since the epoch. */
export interface UsageWanted {
  readonly accountId: string;
  /** The last day that is proven already; its records are not read, nor are those of earlier days. */
  readonly proven: number | undefined;
  /** The last closed day; undefined when no day is. */
  readonly through: number | undefined;
  /** Whether the records of later days are wanted. */
  readonly open: boolean;
  /** Calls whose hold is still open: what they cost is still in the hold. */
  readonly held: ReadonlySet<string>;
  /** A reading that is continued. */
  readonly from?: (UsageSums & { readonly after: UsagePosition }) | undefined;
  /** Whether the reading must stop here. */
  readonly late: () => boolean;
}

export interface UsageRead {
  /** Of the days after `proven`, through `through`. */
  readonly closed: UsageSums;
  /** Of later days, without the cost of calls that are held. */
  readonly open: UsageSums;
  /** Whether there was any record. */
  readonly any: boolean;
  /** The last record that was read, when the reading had to stop before the end. */
  readonly stopped: UsagePosition | undefined;
}

const NO_USAGE: UsageSums = { cost: 0n };

const dayOf = ({ created }: AuditedCall): number => Math.floor(created / DAY_SECONDS);

const add = (sums: UsageSums, { cost }: UsageSums): UsageSums => ({ cost: sums.cost + cost });

export async function readUsage(store: AuditStore, wanted: UsageWanted): Promise<UsageRead> {
  const { accountId, proven, through, held, from, late } = wanted;
  let [closed, open, any] = [from ?? NO_USAGE, NO_USAGE, false];
  const span = { ...spanOf(wanted), after: from?.after };
  for await (const call of store.usage(accountId, span)) {
    const day = dayOf(call);
    if (proven !== undefined && day <= proven) continue;
    any = true;
    if (through !== undefined && day <= through) closed = add(closed, call);
    else open = add(open, held.has(call.id) ? { ...call, cost: 0n } : call);
    if (late()) return { closed, open, any, stopped: call };
  }
  return { closed, open, any, stopped: undefined };
}

function spanOf({ proven, through, open }: UsageWanted) {
  const endMs = (day: number) => (day + 1) * DAY_SECONDS * 1000;
  return {
    fromMs: proven === undefined ? undefined : endMs(proven) - SETTLED_SECONDS * 1000,
    toMs: open || through === undefined ? undefined : endMs(through) + SKEW_SECONDS * 1000,
  };
}
