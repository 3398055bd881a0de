/** The longest recording of a route that transcribes by jobs, which are paid for even if nobody waits for them any more. */
import { ServiceError } from '../../../../platform/core/errors.ts';
import type { CatalogRoute, Model } from '../../catalog/catalog-document.ts';
import type { TimeLeft } from '../../upstream/route-clock.ts';
import { ownSeconds, type Recording } from './duration.ts';

/** A job of a short file takes about that long (Amazon Transcribe API reference, TranscriptionJob, example). */
const JOB_SECONDS = 15;

/** Seconds of a recording that a job transcribes in a second, at least, beyond that: one of 60 minutes took 20. */
const JOB_SPEED = 3;

/** Returns the seconds that a recording may last on the route, in that time. */
function limitOf({ max_seconds: maxSeconds, timeout_ms: timeoutMs }: CatalogRoute, time: TimeLeft): number {
  if (maxSeconds === undefined) return Number.POSITIVE_INFINITY;
  const { remainingTimeMs, silentTimeMs = remainingTimeMs } = time;
  const seconds = Math.min(timeoutMs, remainingTimeMs, silentTimeMs) / 1000;
  return Math.max(0, Math.min(maxSeconds, Math.floor((seconds - JOB_SECONDS) * JOB_SPEED)));
}

/**
 * Returns the model with those of its routes that have time for the recording. Throws 400 `invalid_value` if there are
 * none, by the length that the recording states: one that states none is tried.
 */
export function withRoutesFor(model: Model, recording: Recording, time: TimeLeft): Model {
  if (recording.length === undefined) return model;
  const seconds = ownSeconds(recording);
  const routes = model.routes.filter((route) => seconds <= limitOf(route, time));
  if (routes.length > 0) return { ...model, routes };
  const limit = Math.max(...model.routes.map((route) => limitOf(route, time)));
  throw new ServiceError(
    'invalid_value',
    `file lasts ${Math.ceil(seconds)} seconds. At this address, this model takes recordings of up to ${limit} seconds.`,
    { param: 'file' },
  );
}
