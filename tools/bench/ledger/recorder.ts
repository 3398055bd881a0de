/** Separates a call's database work before the upstream is asked from the work after it, and keeps what was sent to each. */
import type { RecordedRequest, Traffic, TrafficCounts } from '../harness/service/traffic.ts';

export interface RecordedCall {
  readonly before: TrafficCounts & { readonly recordedRequests: readonly RecordedRequest[] };
  readonly after: TrafficCounts & { readonly recordedRequests: readonly RecordedRequest[] };
  readonly upstream: Parameters<typeof fetch>;
}

export class Recorder {
  readonly #traffic: Traffic;
  #before: RecordedCall['before'] | undefined;
  #upstream: Parameters<typeof fetch> | undefined;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  start(): void {
    this.#traffic.take();
    this.#before = undefined;
    this.#upstream = undefined;
  }

  /** The upstream's `fetch`. */
  readonly fetch: typeof fetch = (...request) => {
    this.#before = this.#traffic.take();
    this.#upstream = request;
    return fetch(...request);
  };

  /** Throws when the call did not reach the upstream. */
  end(): RecordedCall {
    const after = this.#traffic.take();
    if (this.#before === undefined || this.#upstream === undefined)
      throw new Error('the call did not reach the upstream');
    return { before: this.#before, after, upstream: this.#upstream };
  }
}
