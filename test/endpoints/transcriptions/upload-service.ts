/** The transcription endpoint on a real database, with a route that answers over HTTP what the test wants of it. */

import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { formatKey, verifyKey } from '../../../lambdas/access/core/keys/api-key.ts';
import type { Policy } from '../../../lambdas/access/core/keys/policy.ts';
import { encodeNewKey } from '../../../lambdas/access/store/keys/key-item.ts';
import { openCatalog } from '../../../lambdas/inference/core/catalog/catalog.ts';
import { Idempotency } from '../../../lambdas/inference/core/idempotency/idempotency.ts';
import { createTranscriptionEndpoint } from '../../../lambdas/inference/core/kinds/transcriptions/endpoint.ts';
import {
  type SettlementOrder,
  type Settlements,
  settlementOrder,
  toWorkflowJson,
} from '../../../lambdas/inference/core/kinds/transcriptions/order.ts';
import type { Recordings } from '../../../lambdas/inference/core/kinds/transcriptions/recordings.ts';
import { settleTranscription } from '../../../lambdas/inference/core/kinds/transcriptions/settle.ts';
import { createTranscriptionCalls } from '../../../lambdas/inference/providers/kinds/provider-calls.ts';
import type { AbandonedJob } from '../../../lambdas/inference/providers/kinds/transcriptions/transcribe.ts';
import { DynamoReplayStore } from '../../../lambdas/inference/store/replay-store.ts';
import { createBreaker } from '../../../lambdas/inference/testing/circuit/memory-circuits.ts';
import { openAccount, openLedger } from '../../../lambdas/ledger/testing/running-ledger.ts';
import { ServiceError } from '../../../lambdas/platform/core/errors.ts';
import type { NanoUsd } from '../../../lambdas/platform/core/money.ts';
import type { After, Clock, Log } from '../../../lambdas/platform/core/ports.ts';
import { createUploadReader } from '../../../lambdas/platform/http/multipart.ts';
import { createRequestHandler, type HostContext } from '../../../lambdas/platform/http/request-handler.ts';
import { spoolToDisk } from '../../../lambdas/platform/system/spool.ts';
import { systemAfter, systemRandom, systemUlid } from '../../../lambdas/platform/system/system.ts';
import { webHandler } from '../../../lambdas/platform/testing/web-response.ts';
import { DATABASE_TABLES, type TestDatabase } from '../../../tools/test-kit/engine.ts';

const PEPPERS = { current: 'a pepper of this test' };

const MAX_FILE_BYTES = 25 * 1024 * 1024;

/** 0.006 USD. */
export const PRICE_PER_MINUTE = 6_000_000n;

/** A key as its holder has it. */
export interface HeldKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly secret: string;
}

export class UploadService {
  readonly #database: TestDatabase;
  readonly #clock: Clock;
  readonly #after: After;
  #route: Server | undefined;
  /** Returns the response of the route, after any other work. */
  respond: () => Promise<object> = async () => ({ text: 'words', duration: 1 });
  /** Handles an order in the workflow. The default settles it. */
  workflow: Settlements['settle'] = (order) => this.settle(order);
  /** Everything that was logged as an error. */
  readonly errors: unknown[] = [];
  readonly #log: Log = {
    info: () => {},
    warn: () => {},
    error: (...line) => this.errors.push(line),
  };
  /** Stores recordings for routes of the protocol `transcribe`. */
  recordings: Recordings | undefined;
  /** The routes of the model, in place of the one that answers over HTTP. */
  routes: readonly object[] | undefined;
  readonly abandoned: AbandonedJob[] = [];
  #handler: ReturnType<typeof webHandler> | undefined;
  readonly ledger;

  constructor(database: TestDatabase, clock: Clock, after = systemAfter) {
    this.#database = database;
    this.#clock = clock;
    this.#after = after;
    this.ledger = openLedger({ clients: database, clock, log: this.#log });
  }

  /** The step of the workflow. */
  settle(order: SettlementOrder) {
    const dependencies = { ...this.ledger, clock: this.#clock, log: this.#log, onSettled: () => {} };
    return settleTranscription(dependencies, settlementOrder.parse(JSON.parse(toWorkflowJson(order))));
  }

  async start(): Promise<void> {
    const route = createServer((request, response) => {
      request.resume().once('end', async () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(await this.respond()));
      });
    });
    await new Promise<void>((resolve) => route.listen(0, '127.0.0.1', resolve));
    this.#route = route;
    this.#handler = this.#assemble(`http://127.0.0.1:${(route.address() as AddressInfo).port}/v1`);
  }

  stop(): void {
    this.#route?.closeAllConnections();
    this.#route?.close();
  }

  #assemble(address: string): ReturnType<typeof webHandler> {
    const { ledger, clock, log } = { ledger: this.ledger, clock: this.#clock, log: this.#log };
    const catalog = openCatalog('1', {
      models: [
        {
          id: 'test/ears',
          type: 'audio',
          owned_by: 'test',
          created: 0,
          price: { unit: 'per_minute', minute: '0.006' },
          routes: this.routes ?? [
            { id: 'ears', protocol: 'openai', base_url: address, upstream_model: 'ears' },
          ],
        },
      ],
      defaults: { audio: 'test/ears' },
    });
    const store = new DynamoReplayStore(this.#database.client, DATABASE_TABLES.replays);
    const after = this.#after;
    const idempotency = new Idempotency({
      store,
      gate: ledger.gate,
      clock,
      after,
      log,
      marks: { markReplay: async () => {} },
    });
    const endpoint = createTranscriptionEndpoint(
      createTranscriptionCalls({
        fetch,
        readSecret: async () => '',
        readToken: async () => '',
        recordings: this.recordings,
        after,
        ulid: systemUlid,
        onAbandoned: (job) => this.abandoned.push(job),
      }),
      {
        ...ledger,
        breaker: createBreaker(),
        peppers: async () => PEPPERS,
        catalog: async () => catalog,
        idempotency,
        random: systemRandom,
        after,
        clock,
        log,
        settlements: { settle: (order) => this.workflow(order) },
        receive: createUploadReader({
          spool: spoolToDisk,
          maxFileBytes: MAX_FILE_BYTES,
          tooLarge: () => new ServiceError('file_too_large', 'file is too large.', { param: 'file' }),
        }),
      },
    );
    return webHandler(createRequestHandler(endpoint, 'openai', { clock, after, ulid: systemUlid, log }));
  }

  /** A new account with so much credit and one key. */
  async open(balance: NanoUsd, policy: Policy = { rpm: 1_000_000_000 }): Promise<HeldKey> {
    const { accountId } = await openAccount(this.#database.client, balance, {});
    const keyId = `key_${systemUlid()}`;
    const secret = formatKey({ accountId, keyId, secret: randomBytes(20).toString('hex') }, PEPPERS);
    const key = verifyKey(secret, PEPPERS);
    if (key === undefined) throw new Error('the key does not verify');
    await this.#database.client.send(
      new PutItemCommand({
        TableName: DATABASE_TABLES.keys,
        Item: encodeNewKey({ ...key, name: 'test', policy, created: 0 }),
      }),
    );
    return { accountId, keyId, secret };
  }

  post(
    { secret }: Pick<HeldKey, 'secret'>,
    body: ReadableStream<Uint8Array>,
    headers: Readonly<Record<string, string>>,
    host: Pick<HostContext, 'silenceMs'> = {},
  ): Promise<Response> {
    const request = new Request('http://localhost/v1/audio/transcriptions', {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, ...headers },
      body,
      duplex: 'half',
    } as RequestInit);
    if (this.#handler === undefined) throw new Error('the service is not started');
    return this.#handler(request, { pathParameters: {}, remainingTimeMs: () => 60_000, ...host });
  }
}
