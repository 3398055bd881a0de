import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../../../../tools/test-kit/waiting.ts';
import type { Ledger } from '../../../ledger/core/admission.ts';
import type { Call } from '../../../ledger/core/call.ts';
import { ConnectionPool } from '../../../platform/connections/connection-pool.ts';
import { createExchange } from '../../../platform/connections/http-exchange.ts';
import { createUpstreamFetch } from '../../../platform/connections/upstream-fetch.ts';
import type { StreamOutcome } from '../../../platform/core/ports.ts';
import { DeliveredBody } from '../../../platform/http/streamed-response.ts';
import { systemAfter, systemClock } from '../../../platform/system/system.ts';
import { chatFormat } from '../../formats/chat/format.ts';
import { createProviders } from '../../providers/protocols.ts';
import { recordedAdmission } from '../../testing/admission.ts';
import { modelsOf } from '../../testing/catalog/models.ts';
import { createBreaker, SILENT } from '../../testing/circuit/memory-circuits.ts';
import { event } from '../../testing/providers/streams.ts';
import { PLAIN_SEALED_TOKENS } from '../../testing/upstream/plain-sealed-tokens.ts';
import { runPaidCall } from '../paid-endpoint.ts';
import { readCompletion } from './completion-endpoint.ts';

const world = { clock: systemClock, random: () => 0 };
const CALLER = { requestId: 'req_1', key: { accountId: 'acc_1', keyId: 'key_1', secretHash: '' } };
const BODY = { model: 'a/b', stream: true, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10_000 };

const messageEvent = (type: string, fields: object): string =>
  `event: ${type}\n${event({ type, ...fields })}`;
const usage = { input_tokens: 3, output_tokens: 1 };
const START =
  messageEvent('message_start', {
    message: { id: 'msg_1', model: 'm', role: 'assistant', content: [], usage },
  }) + messageEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
const CHUNK = messageEvent('content_block_delta', {
  index: 0,
  delta: { type: 'text_delta', text: 'word '.repeat(200) },
});
const END =
  messageEvent('content_block_stop', { index: 0 }) +
  messageEvent('message_delta', { delta: { stop_reason: 'end_turn' }, usage }) +
  messageEvent('message_stop', {});

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Stream {
  readonly respond: (response: ServerResponse) => void;
  /** Resolves when the settlement may end. */
  readonly settling?: Promise<void>;
}

/** A call whose upstream responds so, and the delivery of its stream. */
async function delivering({ respond, settling }: Stream) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(START);
    respond(response);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const route = {
    protocol: 'anthropic',
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cancels: true,
    capabilities: ['stream'],
  };
  const models = modelsOf({ context_window: 100_000, max_output_tokens: 10_000, routes: [route] });
  const providers = createProviders({
    fetch: createUpstreamFetch(createExchange(new ConnectionPool())),
    readSecret: async () => 'key',
    readToken: async () => 'token',
    sign: async ({ headers }) => headers,
    bedrockClient: () => {
      throw new Error('no route of Bedrock');
    },
  });
  const valid = { ...CALLER, identity: '', models, catalog: 'v1', sealedTokens: PLAIN_SEALED_TOKENS };
  const dependencies = { ...world, after: systemAfter, providers, log: SILENT, hostEnds: undefined };
  const call = readCompletion(chatFormat, { ...valid, body: BODY } as never, dependencies);
  const { admission, outcomes } = recordedAdmission(1_000_000_000n);
  const settle: typeof admission.settle = async (outcome) => {
    await settling;
    return admission.settle(outcome);
  };
  const ledger = {
    admit: async ({ output }: Call) => ({ ...admission, settle, output: output.max }),
  } as unknown as Ledger;
  const services = { ledger, breaker: createBreaker(), after: systemAfter, log: SILENT };
  const response = await runPaidCall(services, call, () => ({ remainingTimeMs: 900_000 }));
  if (!('body' in response)) throw new Error('not a stream');
  const ends: StreamOutcome[] = [];
  const body = new DeliveredBody(response, {
    clock: systemClock,
    after: systemAfter,
    envelopeOf: () => ({}),
    onFirstChunk: () => {},
    onEnd: (outcome) => ends.push(outcome),
  });
  return { body, outcomes, ends };
}

/** Takes every chunk. */
const willing = () => {
  const written: string[] = [];
  return { written, write: (chunk: string | Uint8Array) => void written.push(String(chunk)) };
};

describe('a call whose caller leaves', () => {
  it('stops the upstream once the socket buffers are full if nobody reads, and settles once', async () => {
    let sentBytes = 0;
    const { body, outcomes, ends } = await delivering({
      respond(response) {
        const send = () => {
          while (response.write(CHUNK)) sentBytes += CHUNK.length;
          sentBytes += CHUNK.length;
        };
        response.on('drain', send);
        send();
      },
    });
    let writes = 0;
    void body.run({
      write() {
        writes += 1;
        return new Promise<void>(() => {});
      },
    });
    let before = -1;
    await until(
      async () => {
        before = sentBytes;
        await pause(100);
        return sentBytes - before;
      },
      (grown) => grown === 0,
    );
    expect(writes).toBe(1);
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
    await body.cancel();
    expect(ends).toEqual([{ status: 'cancelled' }]);
    expect(outcomes).toMatchObject([{ status: 'interrupted', estimated: true }]);
  });

  it('ends its wait for a silent route, and settles once', async () => {
    const { body, outcomes, ends } = await delivering({
      respond: (response) => void response.write(CHUNK),
    });
    const sink = willing();
    const running = body.run(sink);
    await until(
      () => sink.written.length,
      (count) => count > 0,
    );
    await Promise.all([body.cancel(), running]);
    expect(ends).toEqual([{ status: 'cancelled' }]);
    expect(outcomes).toMatchObject([{ status: 'interrupted' }]);
  });

  it('completes its settlement if that has begun, and settles once', async () => {
    const { promise: settling, resolve: settle } = Promise.withResolvers<void>();
    const { body, outcomes, ends } = await delivering({
      respond: (response) => void response.end(CHUNK + END),
      settling,
    });
    const sink = willing();
    const running = body.run(sink);
    await until(
      () => sink.written.join(''),
      (text) => text.includes('"finish_reason":"stop"'),
    );
    const cancelled = body.cancel();
    for (let turns = 0; turns < 5; turns += 1) await turn();
    expect([ends, outcomes]).toEqual([[], []]);
    settle();
    await Promise.all([cancelled, running]);
    expect(ends).toEqual([{ status: 'cancelled' }]);
    expect(outcomes).toMatchObject([{ status: 'completed' }]);
    expect(sink.written.join('')).not.toContain('[DONE]');
  });
});
