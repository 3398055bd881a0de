/**
 * The check that a process may serve its stage: that the operator has not closed it (maintenance mode), and that its data
 * has no newer layouts than the process reads. Each process caches its view of the stage's record.
 *
 * | View of the process | A request |
 * |---|---|
 * | younger than 5 s | is decided by the view |
 * | older, and the record can be read | is decided by the new view |
 * | older, the record cannot be read, last read within 5 minutes | is decided by the old view |
 * | older, the record cannot be read | is rejected with 503 |
 *
 * A new process is rejected without a view, except if its read is throttled: then the stage counts as open, and its data
 * as of the first layouts, for those 5 minutes, so that a burst of new processes does not stop the service.
 */
import { overloaded, ServiceError } from './errors.ts';
import type { Clock, Log } from './ports.ts';
import { isSafeToRetry } from './transient.ts';

/** The operator's record of a stage. */
export interface StageRecord {
  readonly isClosed: boolean;
  /** The layouts that its data may have, by kind. */
  readonly layouts: Readonly<Record<string, number>>;
}

/** The layouts of this version. */
export interface VersionLayouts {
  /** Returns the kinds with layouts that it does not read. */
  unreadableKinds(stage: StageRecord['layouts']): readonly string[];
  /** Returns the layout in which it writes a kind. */
  writtenLayout(kind: string, stage: StageRecord['layouts']): number;
}

/** The use of a stage's data: a closed stage is only read, but work that it accepted before continues. */
type StageUse = 'change' | 'read';

export interface StageCheck {
  /** Returns nothing or resolves if the process may serve. Throws or rejects with 503 if it may not. */
  check(use: StageUse): Promise<void> | undefined;
  /**
   * Starts to read an old view again. Returns nothing if a view of the last 5 minutes exists; else a promise that
   * resolves or rejects as `check`. A caller who waits for it writes nothing
   * to a stage that was too new for the process 5 minutes ago.
   */
  prepare(): Promise<void> | undefined;
  /** Returns the layout in which the process writes a kind: the first one, as long as it has no view. */
  layoutOf(kind: string): number;
}

/** A closed service stops within it: a view is used for half of it, and the attempts of a read take less. */
export const CLOSED_WITHIN_MS = 10_000;

const VIEW_MS = 5_000;

/** An outage of the table that is shorter stops no call. A longer one cannot hide that the service is closed. */
const MAX_UNREAD_MS = 5 * 60_000;

/** The pause between reads that fail, which would only prolong a throttle. */
const RETRY_MS = 1_000;

/** Seconds. Official SDKs obey up to 60. */
const CLOSED_RETRY_AFTER = 30;

/** Seconds. A process of the newer version serves already. */
const OUTDATED_RETRY_AFTER = 1;

interface StageView extends StageRecord {
  /** The start of the read. The record may have changed since. */
  readonly readMs: number;
  /** Kinds with layouts that this version does not read. */
  readonly unreadable: readonly string[];
}

export interface StageCheckOptions {
  readonly read: () => Promise<StageRecord>;
  readonly version: VersionLayouts;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
}

/** Creates the check of a process. */
export function createStageCheck({ read, version, clock, log }: StageCheckOptions): StageCheck {
  let view: StageView | undefined;
  let failedMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const isWithin = (startMs: number, ms: number) => {
    const age = clock() - startMs;
    // A clock that was set back does not make a view younger.
    return age >= 0 && age < ms;
  };

  async function renew(): Promise<void> {
    const readMs = clock();
    try {
      const record = await read();
      const unreadable = version.unreadableKinds(record.layouts);
      if (unreadable.length > 0 && view?.unreadable.length !== unreadable.length)
        log.error('the data of the stage is newer than this version', { kinds: unreadable });
      view = { ...record, unreadable, readMs };
    } catch (cause) {
      failedMs = clock();
      // A view that is due to be read again.
      if (isSafeToRetry(cause))
        view ??= { isClosed: false, layouts: {}, unreadable: [], readMs: readMs - VIEW_MS };
      if (view === undefined || !isWithin(view.readMs, MAX_UNREAD_MS))
        throw overloaded('The service cannot read whether it is open; retry.', cause);
    } finally {
      reading = undefined;
    }
  }

  function decide(use: StageUse): void {
    if (view === undefined) return;
    if (view.unreadable.length > 0) throw outdatedVersion();
    if (view.isClosed && use === 'change') throw closed();
  }

  function check(use: StageUse): Promise<void> | undefined {
    const isDecided =
      view !== undefined &&
      (isWithin(view.readMs, VIEW_MS) ||
        (isWithin(failedMs, RETRY_MS) && isWithin(view.readMs, MAX_UNREAD_MS)));
    if (!isDecided) {
      reading ??= renew();
      return reading.then(() => decide(use));
    }
    decide(use);
    return undefined;
  }

  return {
    check,
    prepare() {
      if (view === undefined || !isWithin(view.readMs, MAX_UNREAD_MS)) return check('change');
      check('change')?.catch(() => {});
      return undefined;
    },
    layoutOf: (kind) => version.writtenLayout(kind, view?.layouts ?? {}),
  };
}

const closed = (): ServiceError =>
  new ServiceError('maintenance', 'The service is closed for maintenance; retry later.', {
    retryAfterSeconds: CLOSED_RETRY_AFTER,
  });

export const outdatedVersion = (): ServiceError =>
  new ServiceError('outdated_version', 'This process is older than the data of the service; retry.', {
    retryAfterSeconds: OUTDATED_RETRY_AFTER,
  });

/**
 * Throws 409 while a kind, of which this version writes layout 2, has its first layout: the version before may still run, and
 * would not read it. `things` are plural; the message begins with the field if the error has one.
 */
export function requireFinished(layout: number, things: string, param?: string): void {
  if (layout >= 2) return;
  const subject = param === undefined ? things : `${param}: ${things}`;
  throw new ServiceError(
    'upgrade_unfinished',
    `${subject} can be set once the operator has finished the upgrade of this service ("admin layout finish").`,
    param === undefined ? {} : { param },
  );
}
