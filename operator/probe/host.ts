/** One host under probe: a call at a time, each within the allowance, a failure of the moment tried once more. */

import { setTimeout } from 'node:timers/promises';
import type { Route } from '../../lambdas/core/inference/catalog/catalog-document.ts';
import type { JsonObject } from '../../lambdas/core/json/lossless-json.ts';
import { type AddressedRoute, addressOf } from '../../lambdas/providers/openai-formats/address.ts';
import { type Allowance, promptBound } from './allowance.ts';
import { reasonOf } from './refusal-reason.ts';
import { isStream, type Said, saidWhole } from './said.ts';

/** `refused`: the host says that it does not take the request. `unclear`: anything else but an answer. */
export type Answer =
  | { readonly kind: 'taken'; readonly said: Said }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unclear'; readonly reason: string };

/** Where requests go, and how they are authorised. */
export interface Address {
  readonly route: AddressedRoute & Pick<Route, 'protocol'>;
  readonly fetch: typeof fetch;
  /** Throws when the key cannot be read. */
  readonly authorize: (url: string, body: string) => Promise<Readonly<Record<string, string>>>;
  /** The route's key, which is shown nowhere. */
  readonly secret: string | undefined;
  /** Between two tries, where the host does not say how long. */
  readonly pauseMs: number;
}

const PATHS = {
  openai: '/chat/completions',
  'openai-responses': '/responses',
  anthropic: '/messages',
} as const;
export type ProbedProtocol = keyof typeof PATHS;

export const isProbed = (protocol: string): protocol is ProbedProtocol => protocol in PATHS;

/** Statuses of a host that understood the request and does not take it. */
const REFUSALS: ReadonlySet<number> = new Set([400, 422]);

/** Statuses that say nothing of the request: the host is busy, or fails. */
const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

const TIMEOUT_MS = 60_000;

/** A host that asks for more patience is not waited for. */
const LONGEST_PAUSE_MS = 20_000;

/** Fields that bound the output; every request has one. */
const BOUNDS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;

export class Host {
  readonly #address: Address;
  readonly #allowance: Allowance;
  readonly #path: string;

  /** Throws for a protocol that is not probed. */
  constructor(address: Address, allowance: Allowance) {
    const { protocol } = address.route;
    if (!isProbed(protocol)) throw new Error(`routes of the protocol ${protocol} are not probed`);
    this.#address = address;
    this.#allowance = allowance;
    this.#path = PATHS[protocol];
  }

  /** Makes one call. Never throws for what the host does. */
  async ask(request: JsonObject): Promise<Answer> {
    const body = JSON.stringify(request);
    this.#allowance.take(promptBound(body), Math.max(...BOUNDS.map((name) => Number(request[name] ?? 0))));
    const url = addressOf(this.#address.route, this.#path);
    const stream = request.stream === true;
    const { answer, pauseMs } = await this.#try(url, body, stream);
    if (pauseMs === undefined || pauseMs > LONGEST_PAUSE_MS) return answer;
    await setTimeout(pauseMs);
    return (await this.#try(url, body, stream)).answer;
  }

  /** One try; `pauseMs` where another may do better. */
  async #try(url: string, body: string, stream: boolean): Promise<{ answer: Answer; pauseMs?: number }> {
    const { fetch, authorize, pauseMs, secret } = this.#address;
    const headers = { 'content-type': 'application/json', ...(await authorize(url, body)) };
    let response: Response;
    let text: string;
    try {
      // A key goes to the address of its route, and nowhere else.
      response = await fetch(url, {
        ...{ method: 'POST', headers, body, redirect: 'error' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      text = await response.text();
    } catch {
      return { answer: { kind: 'unclear', reason: 'the host does not answer' } };
    }
    const { status } = response;
    if (response.ok) return { answer: answerIn(text, stream) };
    const reason = reasonOf(status, text, secret);
    if (REFUSALS.has(status)) return { answer: { kind: 'refused', reason } };
    const answer = { kind: 'unclear', reason } as const;
    if (!isPassing(status)) return { answer };
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return { answer, pauseMs: Number.isFinite(seconds) ? seconds * 1_000 : pauseMs };
  }
}

const UNREADABLE: Answer = { kind: 'unclear', reason: 'the answer has another format' };

const NOTHING: Said = { text: '', reasoning: '', thinks: false, hasParts: false, isCut: false };

/** Of a stream only that it is one is looked at. */
function answerIn(text: string, stream: boolean): Answer {
  if (stream) return isStream(text) ? { kind: 'taken', said: NOTHING } : UNREADABLE;
  try {
    const said = saidWhole(JSON.parse(text));
    return said === undefined ? UNREADABLE : { kind: 'taken', said };
  } catch {
    return UNREADABLE;
  }
}
