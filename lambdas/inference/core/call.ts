/** One paid call, which its stages pass on whole: checked, admitted, attempted, delivered and settled. */

import type { Admission, Call } from '../../ledger/core/call.ts';
import type { EventFormat, StreamedResponse, TextResponse } from '../../platform/core/ports.ts';
import type { Candidate } from './catalog/catalog-document.ts';
import type { ResponseRecorder } from './idempotency/idempotency.ts';
import type { UpstreamFailure } from './upstream/provider.ts';
import type { TimeLeft } from './upstream/route-clock.ts';

/** A validated request, with the data that its hold, its routes and its response need. */
export interface PaidCall<Result> extends Call {
  /** Distinguishes the request from any other of its path. */
  readonly identity: string;
  /** True if the response is streamed. No copy of a streamed response is stored for replay. */
  readonly stream: boolean;
  /**
   * The event format of a streamed response, whose headers may be sent before its first event. Undefined for any other
   * response.
   */
  readonly events?: EventFormat | undefined;
  /** The routes to try, in this order; at least one. */
  readonly candidates: readonly Candidate[];
  /** Headers of every response after admission, including streamed responses. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Attempts one route with that output. Throws `UpstreamFailure` if the route does not respond. */
  attempt(candidate: Candidate, terms: AttemptTerms, output: number): Promise<Result>;
  /** Prepares the response for sending. If this fails, the call fails and costs nothing. */
  prepare(result: Result, call: UnsettledCall): Promise<Deliver>;
  /** Frees the resources of the request. Called once the response has started. */
  dispose?(): Promise<void>;
}

/** The time of an attempt, and its span in the caller's trace. */
export interface AttemptTerms extends TimeLeft {
  readonly traceparent?: string | undefined;
}

/** Settles a prepared response and sends it. A streamed response settles when it ends. */
export type Deliver = () => Promise<TextResponse | StreamedResponse>;

/** A call that has the response of a route. Its hold is not settled yet. */
export interface UnsettledCall {
  readonly candidate: Candidate;
  readonly admission: Admission;
  /** Stores the complete response for replay. Must be awaited before the call settles. */
  readonly storeResponse: ResponseRecorder | undefined;
  /** Reports to the breaker that the response was interrupted after its start. */
  broke(failure: UpstreamFailure): void;
  /** Waits until the breaker has stored its pending reports. Does not throw. */
  flush(): Promise<void>;
}
