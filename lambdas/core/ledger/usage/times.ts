/** Ids of requests and keys by their time: both begin with a ULID's. */
import { decodeTime, encodeTime } from 'ulid';

/** A request id of that time (ms) that sorts before all others of it. */
export const firstIdAt = (ms: number): string => requestIdAt(ms, '0');

/** A request id of that time (ms) that sorts after all others of it. */
export const lastIdAt = (ms: number): string => requestIdAt(ms, 'Z');

const requestIdAt = (ms: number, rest: '0' | 'Z'): string =>
  `req_${encodeTime(Math.max(0, Math.floor(ms)), 10)}${rest.repeat(16)}`;

/** Sorts after every request id. */
export const LAST_REQUEST_ID = `req_${'Z'.repeat(26)}`;

/** When an id was made, milliseconds since the epoch; 0 for an id that has no time. */
export function timeOfId(id: string): number {
  const ulid = id.slice(id.indexOf('_') + 1);
  return ULID.test(ulid) ? decodeTime(ulid) : 0;
}

/** The first character has three bits only. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
