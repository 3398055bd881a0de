/**
 * The progress of a call in its record, for traces: its duration, the caller's trace, and its attempts. What would cost
 * another write unit is left out, the first attempts first.
 */
import { type Item, number, readNumber, text } from '../../platform/dynamodb/attribute-values.ts';
import { bytesOf } from '../../platform/dynamodb/item-size.ts';
import type { AttemptRecord, UsageRecord } from '../core/usage-record.ts';

/** Amazon DynamoDB developer guide, Read and write capacity: one write unit is 1 KB. */
const WRITE_UNIT_BYTES = 1_024;

/** Bytes of what may be added to a record: the mark of its writer, and the time of a replay. */
const LATER_BYTES = 'write_id'.length + 36 + 'replayed'.length + 6;

const ATTEMPTS = 'route_attempts';

/** With texts of this length in total (model, route, lines, attempts), any record is within one write unit. */
const SHORT_TEXTS = 440;

/** `402+2098`, `1+400=429@first`: start and duration, and the failure; the route, unless it is that of the record. */
const attemptText = (
  { route, startMs, durationMs, failure }: AttemptRecord,
  ofRecord: string | null,
): string =>
  `${startMs}+${durationMs}${failure === undefined ? '' : `=${failure}`}${route === ofRecord ? '' : `@${route}`}`;

const ATTEMPT = /^(\d+)\+(\d+)(?:=(\w+))?(?:@(.+))?$/;

function readAttempt(attempt: string, ofRecord: string | undefined): AttemptRecord {
  const [, startMs, durationMs, failure, route = ofRecord] = ATTEMPT.exec(attempt) ?? [];
  if (startMs === undefined || durationMs === undefined || route === undefined)
    throw new Error('an attempt of a call cannot be read');
  return {
    route,
    startMs: Number(startMs),
    durationMs: Number(durationMs),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** Returns the attributes of the progress of a record, whose other attributes are in the item. */
export function encodeProgress(record: UsageRecord, item: Item): Item {
  const { durationMs, traceparent, routeAttempts = [], route } = record;
  const attempts = routeAttempts.map((attempt) => attemptText(attempt, route));
  const progress: Item = {
    ...(durationMs === undefined ? {} : { duration_ms: number(durationMs) }),
    ...(traceparent === undefined ? {} : { traceparent: text(traceparent) }),
    ...(attempts.length === 0 ? {} : { [ATTEMPTS]: text(attempts.join(' ')) }),
  };
  const texts = [item.model, item.route, item.lines, progress[ATTEMPTS]];
  const isShort = texts.reduce((length, value) => length + (value?.S?.length ?? 0), 0) <= SHORT_TEXTS;
  return isShort ? progress : fitting(progress, attempts, item);
}

/** Returns what does not raise the number of write units of the item. */
function fitting(progress: Item, attempts: readonly string[], item: Item): Item {
  const bytes = bytesOf(item) + LATER_BYTES;
  const fits = (added: Item) =>
    Math.ceil((bytes + bytesOf(added)) / WRITE_UNIT_BYTES) <= Math.ceil(bytes / WRITE_UNIT_BYTES);
  const { [ATTEMPTS]: _all, ...others } = progress;
  let kept: Item = {};
  for (const [name, value] of Object.entries(others)) {
    const longer = { ...kept, [name]: value };
    if (value !== undefined && fits(longer)) kept = longer;
  }
  const first = attempts.findIndex((_, index) =>
    fits({ ...kept, [ATTEMPTS]: text(attempts.slice(index).join(' ')) }),
  );
  return first === -1 ? kept : { ...kept, [ATTEMPTS]: text(attempts.slice(first).join(' ')) };
}

export function decodeProgress(
  item: Item,
): Pick<UsageRecord, 'durationMs' | 'traceparent' | 'routeAttempts'> {
  const attempts = item[ATTEMPTS]?.S?.split(' ');
  return {
    ...(item.duration_ms === undefined ? {} : { durationMs: readNumber(item, 'duration_ms') }),
    ...(item.traceparent?.S === undefined ? {} : { traceparent: item.traceparent.S }),
    ...(attempts === undefined
      ? {}
      : { routeAttempts: attempts.map((attempt) => readAttempt(attempt, item.route?.S)) }),
  };
}
