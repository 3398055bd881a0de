/** The record of a call: counts, cost and a time, never content. Writing it is the commit point of settlement. */
import * as z from 'zod';
import { KINDS, type Kind } from '../access/policy.ts';
import { type Body, idOf, seconds, usd } from '../api/response-schema.ts';
import { type NanoUsd, usdJson } from '../money.ts';

/**
 * `completed`: the caller got the whole answer. `interrupted`: output was delivered, then an error.
 * `failed`: no output, no cost. `expired`: the call died and its hold was released, at no cost.
 */
export const CALL_STATUSES = ['completed', 'interrupted', 'failed', 'expired'] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

export const UNITS = ['token', 'image', 'second'] as const;
export type Unit = (typeof UNITS)[number];

/** What calls of a kind are counted in. */
export function unitOf(kind: Kind): Unit {
  if (kind === 'image') return 'image';
  return kind === 'audio' ? 'second' : 'token';
}

export interface UsageRecord {
  /** The attempt of the hold that the record settles; not shown to callers. */
  readonly attempt?: string | undefined;
  /** The request id. */
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  /** Seconds since the epoch. */
  readonly created: number;
  /** Catalog id; null when the call died and nobody knows how far it came. */
  readonly model: string | null;
  readonly kind: Kind;
  readonly inputUnits: number;
  /** How many of the input units the route served from its prompt cache. */
  readonly cachedUnits: number;
  readonly outputUnits: number;
  readonly unit: Unit;
  /** What the account paid. */
  readonly cost: NanoUsd;
  /** What the call cost beyond its hold and the balance; never charged. */
  readonly writtenOff: NanoUsd;
  /** The service counted the units itself, because the route reported none. */
  readonly estimated: boolean;
  /** The route that served, or null when none did. */
  readonly route: string | null;
  readonly status: CallStatus;
}

/** The usage and cost of a call, before the wallet pays what it can. */
export interface Outcome {
  readonly model: string | null;
  readonly inputUnits: number;
  readonly cachedUnits: number;
  readonly outputUnits: number;
  readonly unit: Unit;
  readonly cost: NanoUsd;
  readonly estimated: boolean;
  readonly route: string | null;
  readonly status: CallStatus;
  /** Tokens that count against the key's tokens a minute. */
  readonly tokens: number;
}

export const usageRecordSchema = z.object({
  id: idOf('req'),
  created: seconds,
  model: z.string().nullable(),
  kind: z.enum(KINDS),
  input_units: z.number(),
  cached_units: z.number(),
  output_units: z.number(),
  unit: z.enum(UNITS),
  cost: usd,
  written_off: usd,
  estimated: z.boolean(),
  route: z.string().nullable(),
  status: z.enum(CALL_STATUSES),
});

/** A record as callers see it. */
export function usageEntry(record: UsageRecord): Body<typeof usageRecordSchema> {
  return {
    id: record.id,
    created: record.created,
    model: record.model,
    kind: record.kind,
    input_units: record.inputUnits,
    cached_units: record.cachedUnits,
    output_units: record.outputUnits,
    unit: record.unit,
    cost: usdJson(record.cost),
    written_off: usdJson(record.writtenOff),
    estimated: record.estimated,
    route: record.route,
    status: record.status,
  };
}
