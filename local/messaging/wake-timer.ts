/** Runs something when it is next due, and looks again whenever that may have changed. */

/** A timer of Node holds at most 2^31-1 ms; a longer wait is cut and looked at again. */
const LONGEST_TIMER_MS = 86_400_000;

export interface WakeTimer {
  /** Looks again at when the next run is due. */
  touch(): void;
  stop(): void;
}

export interface WakeTimerOptions {
  /** When to run next, milliseconds since the epoch. */
  readonly next: () => number | undefined;
  readonly run: () => void;
}

export function startWakeTimer({ next, run }: WakeTimerOptions): WakeTimer {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const touch = () => {
    clearTimeout(timer);
    const dueMs = stopped ? undefined : next();
    if (dueMs === undefined) return;
    timer = setTimeout(
      () => {
        if (Date.now() >= dueMs) run();
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
