/** Callers of a balancer: 64 at a time, with calls of each kind, and the calls that did not end as they should. */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { bodyOf, type Case, CHAT, CHAT_STREAMED, endOf, PATHS } from '../harness/load/cases.ts';
import { closedLoop } from '../harness/load/loops.ts';
import type { BenchAccount } from '../harness/service/account.ts';
import { catalogModel } from '../harness/service/bench-catalog.ts';
import { modelNamed } from '../harness/upstream/model-name.ts';
import type { BalancedCall, Balancer } from './balancer.ts';
import type { ProgramVersion } from './programs.ts';

const CALLERS = 64;

/** The upstream's names of the answers: whole ones after a pause, and streams of 1.3 s. */
export const WHOLE = modelNamed({ chunks: 20, pauseMs: 150 });
export const STREAM = modelNamed({ chunks: 25, pauseMs: 100, everyMs: 50 });
export const EMBEDDINGS = 'bench/embeddings';

const MESSAGES: Case = {
  name: 'messages streamed',
  surface: 'messages',
  stream: true,
  protocol: 'anthropic',
};

const KINDS = ['chat', 'streamed chat', 'messages', 'embeddings', 'replay', 'capped'] as const;
type CallKind = (typeof KINDS)[number];

/** A trace of which the older version knows nothing: it reads and replays records that have one. */
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

interface CallRequest {
  readonly path: string;
  readonly body: string;
  /** The end of a complete response. */
  readonly end: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface CallReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A killed host has cut the call. */
class CutError extends Error {
  override readonly name = 'CutError';
}

const requestOf = (testCase: Case, upstream: string): CallRequest => ({
  path: PATHS[testCase.surface],
  body: bodyOf(testCase, catalogModel(testCase.protocol, upstream)),
  end: endOf(testCase),
});

const REQUESTS = {
  chat: requestOf(CHAT, WHOLE),
  'streamed chat': requestOf(CHAT_STREAMED, STREAM),
  messages: requestOf(MESSAGES, STREAM),
  embeddings: {
    path: '/v1/embeddings',
    body: JSON.stringify({ model: EMBEDDINGS, input: 'What does a gateway do?' }),
    end: '"total_tokens"',
  },
} as const satisfies Partial<Readonly<Record<CallKind, CallRequest>>>;

export interface CallersOptions {
  readonly balancer: Balancer;
  readonly accounts: readonly BenchAccount[];
  /** Numbers in [0, 1). */
  readonly draw: () => number;
}

export class Callers {
  /** The account of a key whose cap some calls exceed. */
  capped: BenchAccount | undefined;
  /** The calls that were served, by request id, without replays. */
  readonly served = new Map<string, BenchAccount>();
  readonly failures: string[] = [];
  readonly counts = { calls: 0, cut: 0, replayed: 0, replayedByOther: 0, overCap: 0 };
  readonly #options: CallersOptions;
  readonly #running: Promise<unknown>;
  #isStopped = false;

  constructor(options: CallersOptions) {
    this.#options = options;
    this.#running = closedLoop(
      CALLERS,
      () => !this.#isStopped,
      () => this.#callOne(),
    );
  }

  /** Resolves when every call has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#options.draw() * values.length)] as T;
  }

  async #callOne(): Promise<void> {
    const kind = this.#pick(KINDS);
    const account = this.#pick(this.#options.accounts);
    try {
      if (kind === 'replay') await this.#callTwice(account);
      else if (kind === 'capped') await this.#callCapped();
      else await this.#serve(account, REQUESTS[kind]);
    } catch (failure) {
      if (failure instanceof CutError) this.counts.cut += 1;
      else this.failures.push(`${kind}: ${(failure as Error).message}`);
    }
  }

  async #serve(account: BenchAccount, request: CallRequest) {
    const served = await this.#send(account, request);
    this.#requireWhole(served, request);
    this.served.set(String(served.reply.headers['x-request-id']), account);
    return served;
  }

  /** Makes a call and repeats it, on a host of another version if there is one. */
  async #callTwice(account: BenchAccount): Promise<void> {
    const request = { ...REQUESTS.chat, headers: { 'idempotency-key': randomUUID() } };
    const first = await this.#serve(account, request);
    const second = await this.#send(account, request, first.version);
    this.#requireWhole(second, request);
    const { headers, body } = second.reply;
    if (headers['idempotent-replayed'] !== 'true' || body !== first.reply.body)
      throw new Error(`${second.version} did not replay the response of ${first.version}: ${body}`);
    this.counts.replayed += 1;
    if (first.version !== second.version) this.counts.replayedByOther += 1;
  }

  async #callCapped(): Promise<void> {
    const account = this.capped;
    if (account === undefined) return;
    const call = await this.#send(account, REQUESTS.chat);
    const { status, headers, body } = call.reply;
    if (status === 402 && body.includes('monthly_usd_exceeded')) {
      this.counts.overCap += 1;
      return;
    }
    this.#requireWhole(call, REQUESTS.chat);
    this.served.set(String(headers['x-request-id']), account);
  }

  #requireWhole(
    { reply: { status, body }, version }: { readonly reply: CallReply; readonly version: ProgramVersion },
    { end }: CallRequest,
  ): void {
    if (status !== 200 || !body.includes(end)) throw new Error(`${version}: ${status} ${body.slice(-300)}`);
  }

  async #send({ credential }: BenchAccount, { path, body, headers }: CallRequest, other?: ProgramVersion) {
    const target = this.#options.balancer.choose(other);
    const call: BalancedCall = { hasHeaders: false, isCut: false };
    target.open.add(call);
    this.counts.calls += 1;
    try {
      const response = await target.pool.request({
        path,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          traceparent: TRACEPARENT,
          authorization: `Bearer ${credential}`,
          ...headers,
        },
        body,
      });
      call.hasHeaders = true;
      const { statusCode: status, headers: responseHeaders } = response;
      const reply: CallReply = { status, headers: responseHeaders, body: await text(response.body) };
      return { reply, version: target.version };
    } catch (failure) {
      if (call.isCut) throw new CutError();
      throw new Error(`${target.version}: ${(failure as Error).message}`);
    } finally {
      target.open.delete(call);
    }
  }
}
