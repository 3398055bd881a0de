/**
 * The interface between a provider folder and the core: one attempt at one route. A route of the caller's protocol
 * responds in that protocol's format. Any other responds in the types of `conversation.ts`.
 */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';
import type { Feature } from '../fields/need.ts';
import type { RequestFields, TakesField } from '../fields/read-fields.ts';
import type { TokenUsage } from '../pricing/token-usage.ts';
import type { AssistantOutput, Conversation, StreamPart } from './conversation.ts';
import type { UpstreamRejection } from './rejection.ts';
import type { Signatures } from './sealed-tokens.ts';

/** The protocols that callers speak; each is also one that routes speak. */
export type CallerProtocol = 'openai' | 'anthropic' | 'openai-responses';

/** The values of the caller's headers for its protocol, for routes that speak it too. */
export interface ProtocolHeaders {
  /** The version of the Messages protocol, a date. */
  readonly version?: string;
  /** Flags of the Messages protocol. */
  readonly betas: readonly string[];
}

/** A caller's chat call, ready for any route. */
export interface ChatPayload {
  /** The protocol of `body`. A route of this protocol responds in the same format. */
  readonly protocol: CallerProtocol;
  /** The request in that format: defaults applied, with the fields that the protocol documents and no others. */
  readonly body: JsonObject;
  readonly headers?: ProtocolHeaders;
  /** The same request for a route of another protocol. */
  conversation(): Conversation;
  readonly stream: boolean;
  /** Set where the caller left the bound of the output to the service: the same payload with this one, tokens. */
  readonly limitedTo?: (maxTokens: number) => ChatPayload;
  /** The needs of the request, and the fields that not every route receives. */
  readonly fields: RequestFields;
  /** `body` with the undocumented fields that a route takes; absent if the request has none. */
  readonly bodyWith?: (takes: TakesField) => JsonObject;
}

export interface RouteAttempt {
  readonly route: CatalogRoute;
  readonly payload: ChatPayload;
  /** The names that the caller receives instead of the upstream's own. */
  readonly identity: ResponseIdentity;
  /** Seals the model's signatures of its reasoning, and opens those that callers send back. */
  readonly signatures: Signatures;
  /** The maximum number of bytes of the response, which has no content coding. */
  readonly maxBytes: number;
  /** Ends the attempt: time is up. */
  readonly signal: AbortSignal;
  /** The attempt's span in the caller's trace, for routes over HTTP; absent if the caller sent none. */
  readonly traceparent?: string | undefined;
}

export interface ResponseIdentity {
  readonly id: string;
  readonly model: string;
}

/** One event of a stream: a `nativeEvent` from a native route, `parts` from any other. */
export interface RouteEvent {
  /** The event that the caller receives. Absent for events that only the service uses. */
  readonly nativeEvent?: JsonObject;
  readonly parts?: readonly StreamPart[];
  /** Output the event delivers, for counting. */
  readonly outputText: string;
  /** True if the event contains output or ends a choice. After it, the call cannot move to another route. */
  readonly hasOutput: boolean;
  readonly usage?: TokenUsage;
}

/** A complete response: the `body` of a native route, without its usage, or the `output` of any other. */
export type CompleteResponse = { readonly body: JsonObject } | { readonly output: AssistantOutput };

export type RouteResponse =
  | {
      readonly kind: 'json';
      readonly completeResponse: CompleteResponse;
      readonly outputText: string;
      readonly usage: TokenUsage | undefined;
    }
  /**
   * Each batch has the events that arrived together, one at least. Ends normally only after a clean finish; throws
   * `UpstreamFailure` otherwise, after the batch with the events before it.
   */
  | { readonly kind: 'stream'; readonly batches: AsyncIterable<readonly RouteEvent[]> };

/** One upstream protocol. Throws `UpstreamFailure` for everything that goes wrong upstream. */
export interface Provider {
  readonly features: ReadonlySet<Feature>;
  chat(attempt: RouteAttempt): Promise<RouteResponse>;
}

/**
 * The kind of a failure.
 * - `secret`: the route's key could not be read.
 * - `protocol`: the response did not follow the route's protocol.
 * - `download`: the route named an image by an address from which it could not be fetched.
 * - `timeout`: the route exceeded its own limits.
 * - `deadline`: the call's time ended, independent of the route.
 */
export type FailureKind =
  | 'secret'
  | 'connection'
  | 'timeout'
  | 'deadline'
  | 'status'
  | 'protocol'
  | 'download'
  | 'interrupted';

/**
 * A failed attempt. Its message and its visible fields contain no text of the upstream, because that text may name
 * hosts, keys or prompts. Only `rejection` contains such text, for the caller. No log of the failure includes it.
 */
export class UpstreamFailure extends Error {
  readonly #rejection: UpstreamRejection | undefined;
  readonly kind: FailureKind;
  /** Another route may do better; false when the request itself is at fault. */
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** With a 429: the operator's account with the route has nothing left to spend, which no wait ends. */
  readonly isExhausted: boolean;
  /** The field that the upstream rejected, if it reported one. */
  readonly param: string | undefined;

  constructor(
    kind: FailureKind,
    details: {
      readonly retryable?: boolean;
      readonly status?: number | undefined;
      readonly retryAfterSeconds?: number | undefined;
      readonly isExhausted?: boolean;
      readonly param?: string | undefined;
      readonly rejection?: UpstreamRejection | undefined;
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
    this.isExhausted = details.isExhausted ?? false;
    this.param = details.param;
    this.#rejection = details.rejection;
  }

  /** The reason for which the route rejected the request. Present only if the failure is not retryable. */
  get rejection(): UpstreamRejection | undefined {
    return this.#rejection;
  }
}
