/** Runs something when it is next due, and checks again whenever that may have changed. */

/** A timer of Node holds at most 2^31-1 ms; a longer wait is done in parts. */
const LONGEST_TIMER_MS = 86_400_000;

export interface DueTimer {
  /** Reads again when the next run is due. */
  touch(): void;
  stop(): void;
}

export interface DueTimerOptions {
  /** Returns the time of the next run in milliseconds since the epoch. */
  readonly next: () => number | undefined;
  readonly run: (dueMs: number) => void;
}

export function startDueTimer({ next, run }: DueTimerOptions): DueTimer {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const touch = () => {
    clearTimeout(timer);
    const dueMs = stopped ? undefined : next();
    if (dueMs === undefined) return;
    timer = setTimeout(
      () => {
        if (Date.now() >= dueMs) run(dueMs);
        touch();
      },
      Math.min(Math.max(1, dueMs - Date.now()), LONGEST_TIMER_MS),
    );
  };
  touch();
  return {
    touch,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
