/** A clock and timers that stand still until a test advances them. */
import type { After, Clock } from '../../lambdas/platform/core/ports.ts';

/** Everything that is ready to run has run; nothing of these tests waits for the real world. */
const idle = () => new Promise<void>((resolve) => setImmediate(resolve));

export class FakeTime {
  #nowMs = Date.UTC(2026, 6, 15, 12);
  #timers: { readonly atMs: number; readonly run: () => void }[] = [];

  readonly clock: Clock = () => this.#nowMs;

  readonly after: After = (ms, run) => {
    const timer = { atMs: this.#nowMs + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  /** Timers that are still to run. */
  get timers(): number {
    return this.#timers.length;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets time pass, and everything happen that is due by then, in its order. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await idle();
    for (;;) {
      const [next] = this.#timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
      await idle();
    }
    this.#nowMs = untilMs;
  }

  /** Lets time pass until the work is done; throws when there is nothing left to wait for. */
  async until<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const settled = work.finally(() => {
      done = true;
    });
    settled.catch(() => {});
    await idle();
    while (!done) {
      const next = Math.min(...this.#timers.map(({ atMs }) => atMs));
      if (!Number.isFinite(next)) throw new Error('nothing will ever end this');
      await this.advance(Math.max(0, next - this.#nowMs));
    }
    return settled;
  }
}
