/**
 * The interface of a provider folder for the core: one attempt at one route. A route of the caller's own protocol
 * answers in that protocol's format. Any other answers in the terms of `conversation.ts`.
 */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';
import type { Feature } from '../fields/need.ts';
import type { RequestFields, TakesField } from '../fields/read-fields.ts';
import type { TokenUsage } from '../pricing/token-usage.ts';
import type { Signatures } from './capsules.ts';
import type { AssistantReply, Conversation, StreamPart } from './conversation.ts';
import type { UpstreamRejection } from './refusal.ts';

/** The protocols that callers speak; each is also one that routes speak. */
export type CallerProtocol = 'openai' | 'anthropic' | 'openai-responses';

/** The values of the caller's headers for its protocol, for routes that speak it too. */
export interface ProtocolHeaders {
  /** The version of the Messages protocol, a date. */
  readonly version?: string;
  /** Flags of the Messages protocol. */
  readonly betas: readonly string[];
}

/** A chat call as the caller made it, ready for any route. */
export interface ChatPayload {
  /** The protocol whose format `body` is in, as is the answer of a route that speaks it. */
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
  readonly identity: AnswerIdentity;
  /** Seals what the model proves its reasoning by, and opens what callers send back of it. */
  readonly signatures: Signatures;
  /** Ends the attempt: time is up. */
  readonly signal: AbortSignal;
}

export interface AnswerIdentity {
  readonly id: string;
  readonly model: string;
}

/** One event of a stream: a `payload` from a route of the payload's protocol, `parts` from any other. */
export interface ReplyEvent {
  /** The payload that the caller receives. Absent for events that only the service uses. */
  readonly payload?: JsonObject;
  readonly parts?: readonly StreamPart[];
  /** Output the event delivers, for counting. */
  readonly text: string;
  /** The event carries output or ends a choice: from here on the call cannot move to another route. */
  readonly content: boolean;
  readonly usage?: TokenUsage;
}

/** A whole answer: the `body` of a route of the payload's protocol, without its usage, or the `reply` of any other. */
export type WholeAnswer = { readonly body: JsonObject } | { readonly reply: AssistantReply };

export type Reply =
  | {
      readonly kind: 'json';
      readonly answer: WholeAnswer;
      readonly text: string;
      readonly usage: TokenUsage | undefined;
    }
  /** Ends normally only after a clean finish; throws `UpstreamFailure` otherwise. */
  | { readonly kind: 'stream'; readonly events: AsyncIterable<ReplyEvent> };

/** One upstream protocol. Throws `UpstreamFailure` for everything that goes wrong upstream. */
export interface Provider {
  readonly features: ReadonlySet<Feature>;
  chat(attempt: RouteAttempt): Promise<Reply>;
}

/**
 * `secret`: the route's key could not be read. `protocol`: the answer was not of the route's protocol. `timeout`: the
 * route took longer than its own limits; `deadline`: the call's time was up, whatever the route did.
 */
export type FailureKind =
  | 'secret'
  | 'connection'
  | 'timeout'
  | 'deadline'
  | 'status'
  | 'protocol'
  | 'interrupted';

/**
 * An attempt that failed. Its message and its visible fields hold no text of the upstream's, which may name hosts, keys
 * or prompts; `refusal` alone does, for the caller's eyes: no log that writes the failure down shows it.
 */
export class UpstreamFailure extends Error {
  readonly #refusal: UpstreamRejection | undefined;
  readonly kind: FailureKind;
  /** Another route may do better; false when the request itself is at fault. */
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** With a 429: the operator's account with the route has nothing left to spend, which no wait ends. */
  readonly isExhausted: boolean;
  /** The field that the upstream refused, if it said so. */
  readonly param: string | undefined;

  constructor(
    kind: FailureKind,
    details: {
      readonly retryable?: boolean;
      readonly status?: number | undefined;
      readonly retryAfterSeconds?: number | undefined;
      readonly isExhausted?: boolean;
      readonly param?: string | undefined;
      readonly refusal?: UpstreamRejection | undefined;
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
    this.#refusal = details.refusal;
  }

  /** The reason for which the route rejected the request. Present only if the failure is not retryable. */
  get refusal(): UpstreamRejection | undefined {
    return this.#refusal;
  }
}
