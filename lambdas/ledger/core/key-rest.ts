/** The rest of a key: the time after which no call of it can change its caps any more. */
import type { KeyState } from '../../access/core/keys/key-state.ts';

/**
 * A key is at rest when it was last charged so long ago: the longest call (900 s), 5 minutes in which DynamoDB takes a
 * request that was signed before, and 3 minutes between clocks. No request sets `used` back to the time of a repair: it is
 * signed within 60 s of the time that it contains.
 */
export const REST_SECONDS = 900 + 300 + 180;

/** A key that was charged since its last repair, and is at rest. */
export const needsRepair = ({ used, repaired, leases }: KeyState, nowMs: number): boolean =>
  leases === undefined && used !== undefined && used !== repaired && used + REST_SECONDS <= nowMs / 1000;
