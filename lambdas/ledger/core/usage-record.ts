/** The record of a call: counts, cost and a time, never content. Writing it is the commit point of settlement. */
import type { Kind } from '../../platform/core/kinds.ts';
import type { NanoUsd } from '../../platform/core/money.ts';

/**
 * `completed`: the caller received the complete response. `interrupted`: output was delivered, then an error. `failed`:
 * no output, no cost. `expired`: the call died and its hold was released, at no cost.
 */
export const CALL_STATUSES = ['completed', 'interrupted', 'failed', 'expired'] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

export const UNITS = ['token', 'image', 'second'] as const;
export type Unit = (typeof UNITS)[number];

/** Returns the unit in which calls of a kind are counted. */
export function unitOf(kind: Kind): Unit {
  if (kind === 'image') return 'image';
  return kind === 'audio' ? 'second' : 'token';
}

/** A line of a bill: a quantity of an item, at a price in nano-USD for `per` of them. */
export interface BillLine {
  readonly item: string;
  /** Whole, but for seconds. */
  readonly quantity: number;
  readonly price: NanoUsd;
  readonly per: number;
}

/** The basis of a bill. The bill can be computed again from it alone. */
export interface BillBasis {
  /** The line items. Their total, rounded up once, is the cost plus the waived amount. Absent if nothing was billed. */
  readonly lines?: readonly BillLine[] | undefined;
  /** The version of the catalog whose prices these are. */
  readonly catalog?: string | undefined;
  /** The service tier that was used, if it is not the standard one. */
  readonly serviceTier?: string | undefined;
  /** The region of inference, if it has its own price. */
  readonly region?: string | undefined;
  /** The price of the provider, if the catalog specifies it. Not shown to callers. */
  readonly providerCost?: NanoUsd | undefined;
}

/** One try of a route. Times are in milliseconds, and start with the admission. */
export interface AttemptRecord {
  /** Catalog id of the route. */
  readonly route: string;
  readonly startMs: number;
  /** Until it failed; of the last attempt, until the call was settled. */
  readonly durationMs: number;
  /** The HTTP status or the kind of its failure; absent if it did not fail before its response had started. */
  readonly failure?: string | undefined;
}

/** The metrics of a call, as its process observed them. */
interface CallMetrics {
  /** The number of attempted routes. */
  readonly attempts?: number | undefined;
  /** The last of these attempts, in their order: as many as fit into one write unit. */
  readonly routeAttempts?: readonly AttemptRecord[] | undefined;
  /** From the admission to the settlement, ms. */
  readonly durationMs?: number | undefined;
  /** From the admission to the first content of a streamed response, ms. */
  readonly firstTokenMs?: number | undefined;
  /** The caller's `traceparent` (W3C Trace Context), if its request had a valid one. */
  readonly traceparent?: string | undefined;
}

/** The usage of a call, as the service counted it or its route reported it. */
interface CallUsage extends BillBasis, CallMetrics {
  /** Catalog id; null if the call died and its progress is unknown. */
  readonly model: string | null;
  readonly inputUnits: number;
  /** The number of input units that the route read from its prompt cache. */
  readonly cachedUnits: number;
  readonly outputUnits: number;
  readonly unit: Unit;
  /** The service counted the units itself, because the route reported none. */
  readonly estimated: boolean;
  /** The route that was used, or null if none was. */
  readonly route: string | null;
  readonly status: CallStatus;
}

export interface UsageRecord extends CallUsage {
  /** The request id. */
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly kind: Kind;
  /** The amount that the account paid. It never exceeds the held amount. */
  readonly cost: NanoUsd;
  /** The amount that was held for the call. */
  readonly heldAmount?: NanoUsd | undefined;
  /** The part of the bill beyond what was held. The account does not pay it. */
  readonly waived?: NanoUsd | undefined;
  readonly unbilled?: UnbilledUsage | undefined;
  /**
   * The time of the last replay of the response, in seconds since the epoch. Absent if the response was never replayed.
   */
  readonly replayed?: number | undefined;
  /** The attempt of the hold that the record settles; not shown to callers. */
  readonly attempt?: string | undefined;
  /** The lease that admitted the call, if one did; not shown to callers. */
  readonly lease?: string | undefined;
}

/** The operator's loss by a call: usage that its route reported beyond its bound, and what is waived. */
export interface UnbilledUsage {
  /** At the prices of the call; more than 0. */
  readonly amount: NanoUsd;
  /** The cause: the reported units as a multiple of their bound, for the prompt or the output; 1 if it is only waived. */
  readonly factor: number;
}

/** Returns a factor as stored, rounded up to thousandths. */
export const factorOf = (factor: number): number => Math.ceil(factor * 1_000) / 1_000;

/** The usage of a call, and what it comes to. */
export interface CallOutcome extends CallUsage {
  /** The total of the lines. The account pays at most what was held. */
  readonly amount: NanoUsd;
  /** Usage that the route reported beyond the bound. No line has it. */
  readonly excess?: UnbilledUsage | undefined;
  /** Tokens that count against the key's tokens a minute. */
  readonly tokens: number;
}
