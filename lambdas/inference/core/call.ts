/** One paid call, which its stages pass on whole: checked, admitted, attempted, delivered and settled. */

import type { Admission } from '../../ledger/core/admission.ts';
import type { Call } from '../../ledger/core/call.ts';
import type { EventFormat, StreamedAnswer } from '../../platform/core/ports.ts';
import type { Candidate } from './catalog/catalog-document.ts';
import type { Keep } from './idempotency/idempotency.ts';
import type { UpstreamFailure } from './upstream/provider.ts';
import type { TimeLeft } from './upstream/route-clock.ts';

/** A checked request: what its hold, its routes and its answer need. */
export interface PaidCall<Answer> extends Call {
  /** Distinguishes the request from any other of its path. */
  readonly identity: string;
  /** No copy of a streamed answer is kept for replay. */
  readonly stream: boolean;
  /** Set when the answer is a stream of events, whose headers may leave before its first event. */
  readonly events?: EventFormat | undefined;
  /** The routes to try, in this order; at least one. */
  readonly candidates: readonly Candidate[];
  /** Headers of every answer from the admission on, a stream's too. */
  readonly headers?: Readonly<Record<string, string>>;
  /** One try of one route with that output; throws `UpstreamFailure` when it did not answer. */
  attempt(candidate: Candidate, time: TimeLeft, output: number): Promise<Answer>;
  /** Makes the answer ready to send. When that fails, the call fails and costs nothing. */
  prepare(answer: Answer, answered: AnsweredCall): Promise<Deliver>;
  /** Frees what the request holds; called once the answer has begun. */
  dispose?(): Promise<void>;
}

/** Settles a prepared answer and sends it; a streamed one settles when it ends. */
export type Deliver = () => Promise<Response | StreamedAnswer>;

/** A call that a route has answered; its hold is yet to be settled. */
export interface AnsweredCall {
  readonly candidate: Candidate;
  readonly admission: Admission;
  /** Puts the whole answer aside for replay; to be awaited before the call settles. */
  readonly keep: Keep | undefined;
  /** Reports to the breaker that the answer broke off after it had begun. */
  broke(failure: UpstreamFailure): void;
  /** Waits until the breaker has stored what it knows; does not throw. */
  flush(): Promise<void>;
}
