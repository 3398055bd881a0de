/**
 * Maintenance mode: whether the service accepts requests. Each process caches its view of the operator's switch.
 *
 * | View of the process | A request |
 * |---|---|
 * | younger than 5 s | is decided by the view |
 * | older, and the switch can be read | is decided by the new view |
 * | older, the switch cannot be read, last read within 5 minutes | is decided by the old view |
 * | older, the switch cannot be read | is rejected with 503 |
 *
 * A new process is rejected without a view, except if its read is throttled: then the switch counts as open for those 5
 * minutes, so that a burst of new processes does not stop the service.
 */
import { overloaded, ServiceError } from './errors.ts';
import type { Clock } from './ports.ts';
import { isSafeToRetry } from './transient.ts';

/** Returns nothing or resolves if the service accepts requests. Throws or rejects with 503 if it does not. */
export type OpenCheck = () => Promise<void> | undefined;

/** A closed service stops within it: a view is used for half of it, and the attempts of a read take less. */
export const CLOSED_WITHIN_MS = 10_000;

const VIEW_MS = 5_000;

/** An outage of the table that is shorter stops no call. A longer one cannot hide that the service is closed. */
const MAX_UNREAD_MS = 5 * 60_000;

/** The pause between reads that fail, which would only prolong a throttle. */
const RETRY_MS = 1_000;

/** Seconds. Official SDKs obey up to 60. */
const RETRY_AFTER_SECONDS = 30;

interface SwitchView {
  readonly isClosed: boolean;
  /** The start of the read. The switch may have changed since. */
  readonly readMs: number;
}

/** Creates the check of a process. `isClosed` reads the switch. */
export function createOpenCheck(isClosed: () => Promise<boolean>, clock: Clock): OpenCheck {
  let view: SwitchView | undefined;
  let failedMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const isWithin = (startMs: number, ms: number) => {
    const age = clock() - startMs;
    // A clock that was set back does not make a view younger.
    return age >= 0 && age < ms;
  };

  async function read(): Promise<void> {
    const readMs = clock();
    try {
      view = { isClosed: await isClosed(), readMs };
    } catch (cause) {
      failedMs = clock();
      // A view that is due to be read again.
      if (isSafeToRetry(cause)) view ??= { isClosed: false, readMs: readMs - VIEW_MS };
      if (view === undefined || !isWithin(view.readMs, MAX_UNREAD_MS))
        throw overloaded('The service cannot read whether it is open; retry.', cause);
    } finally {
      reading = undefined;
    }
  }

  function requireOpen(): void {
    if (!view?.isClosed) return;
    const message = 'The service is closed for maintenance; retry later.';
    throw new ServiceError('maintenance', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  return () => {
    const isDecided =
      view !== undefined &&
      (isWithin(view.readMs, VIEW_MS) ||
        (isWithin(failedMs, RETRY_MS) && isWithin(view.readMs, MAX_UNREAD_MS)));
    if (!isDecided) {
      reading ??= read();
      return reading.then(requireOpen);
    }
    requireOpen();
    return undefined;
  };
}
