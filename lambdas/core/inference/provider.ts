/** What a provider folder offers the core: one attempt at one route, in the vocabulary of the surface that asked. */
import type { Capability, Route } from './catalog-document.ts';
import type { TokenUsage } from './price.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A chat call as the caller made it, ready for any route. */
export interface ChatPayload {
  /** The surface whose vocabulary `body` and the reply are in. */
  readonly surface: 'openai';
  /** The request in that vocabulary: defaults applied, routing controls removed. */
  readonly body: JsonObject;
  readonly stream: boolean;
  readonly needs: readonly Capability[];
}

export interface Attempt {
  readonly route: Route;
  readonly payload: ChatPayload;
  /** What the caller is told instead of the upstream's own names. */
  readonly identity: { readonly id: string; readonly model: string };
  /** Ends the attempt: time is up. */
  readonly signal: AbortSignal;
}

/** One event of a stream. */
export interface ReplyEvent {
  /** What the caller gets, in the surface's vocabulary; absent for what is the service's own business. */
  readonly payload?: JsonObject;
  /** Output the event delivers, for counting. */
  readonly text: string;
  /** The event carries output or ends a choice: from here on the call cannot move to another route. */
  readonly content: boolean;
  readonly usage?: TokenUsage;
}

export type Reply =
  | {
      readonly kind: 'json';
      readonly body: JsonObject;
      readonly text: string;
      readonly usage: TokenUsage | undefined;
    }
  /** Ends normally only after a clean finish; throws `UpstreamFailure` otherwise. */
  | { readonly kind: 'stream'; readonly events: AsyncIterable<ReplyEvent> };

/** One upstream protocol. Throws `UpstreamFailure` for everything that goes wrong upstream. */
export interface Provider {
  chat(attempt: Attempt): Promise<Reply>;
}

/** `secret`: the route's key could not be read. `protocol`: the answer was not of the route's protocol. */
export type FailureKind = 'secret' | 'connection' | 'timeout' | 'status' | 'protocol' | 'interrupted';

/** An attempt that failed. It carries no text of the upstream's: that may name hosts, keys or prompts. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  /** Another route may do better; false when the request itself is at fault. */
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The field that the upstream refused, if it said so. */
  readonly param: string | undefined;

  constructor(
    kind: FailureKind,
    details: {
      readonly retryable?: boolean;
      readonly status?: number | undefined;
      readonly retryAfterSeconds?: number | undefined;
      readonly param?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(`upstream failure: ${kind}${details.status === undefined ? '' : ` ${details.status}`}`, {
      cause: details.cause,
    });
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.retryable = details.retryable ?? true;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.param = details.param;
  }
}
