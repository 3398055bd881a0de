/** A minute of mixed traffic: the same calls in the same order each minute, at an even rate. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { evenly, openLoop } from '../harness/load/loops.ts';
import { MIX } from './calls.ts';
import type { SoakService } from './service.ts';

/** The rest of a minute is for calls to end and for the samples. */
const TRAFFIC_SECONDS = 42;

/** The number of paths of the reads of an owner, the most of all kinds. */
const WARM_UP_TURNS = 6;

/** The kinds of the calls of a minute, each spread over all of it. */
const PLAN: readonly string[] = Object.entries(MIX)
  .flatMap(([kind, [perMinute]], row) =>
    Array.from({ length: perMinute }, (_, at) => ({ kind, at: (at + row / 100) / perMinute })),
  )
  .sort((a, b) => a.at - b.at)
  .map(({ kind }) => kind);

export class MixedTraffic {
  readonly #service: SoakService;
  readonly #receiverUrl: string;
  readonly #turns = new Map<string, number>();
  /** The calls that ended otherwise than they should, by kind and reason. */
  readonly failures = new Map<string, number>();
  calls = 0;

  get failureCount(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  constructor(service: SoakService, receiverUrl: string) {
    this.#service = service;
    this.#receiverUrl = receiverUrl;
  }

  /** Starts every process, one after the other: a machine that starts all at once rejects calls. */
  async warmUp(): Promise<void> {
    for (const kind of Object.keys(MIX))
      for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) await this.#run(kind);
    this.calls = 0;
    this.failures.clear();
  }

  /** Resolves when all calls of a minute have ended. */
  async runMinute(): Promise<void> {
    const kinds = PLAN.values();
    await openLoop(evenly(PLAN.length, PLAN.length / TRAFFIC_SECONDS), () =>
      this.#run(kinds.next().value ?? ''),
    );
  }

  async #run(kind: string): Promise<void> {
    const turn = this.#turns.get(kind) ?? 0;
    this.#turns.set(kind, turn + 1);
    this.calls += 1;
    try {
      await MIX[kind]?.[1]({ service: this.#service, receiverUrl: this.#receiverUrl, turn });
    } catch (failure) {
      const reason = `${kind}: ${(failure as Error).message}`.replaceAll(/req_\w+/g, 'req').slice(0, 200);
      this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
    }
  }
}

/** Takes the events of webhooks; fails those at `/fails`. */
export async function startReceiver(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/fails' ? 500 : 200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
