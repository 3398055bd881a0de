import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { FakeTime } from '../../../tools/test-kit/fake-time.ts';
import { EDGE_SILENCE_SECONDS, GATEWAY_SILENCE_SECONDS } from '../contract/limits.ts';
import type { EventFormat, StreamedResponse, StreamOutcome } from '../core/ports.ts';
import { webBody } from '../testing/web-response.ts';
import { DeliveredBody, HEARTBEAT_MS, type Sink } from './streamed-response.ts';

const HEARTBEAT = ': keep-alive\n\n';

const EVENTS: EventFormat = {
  heartbeat: HEARTBEAT,
  errorEvent: (envelope) => `error ${JSON.stringify(envelope)}`,
};

/** Chunks given one by one by the test; it sees how many were asked for, and whether they were given up. */
class Source {
  reads = 0;
  settled = 0;
  #give = (_chunk: string | undefined) => {};

  async *chunks(): AsyncGenerator<string, void> {
    try {
      for (;;) {
        this.reads += 1;
        const chunk = await new Promise<string | undefined>((resolve) => {
          this.#give = resolve;
        });
        if (chunk === undefined) return;
        yield chunk;
      }
    } finally {
      this.settled += 1;
    }
  }

  give(chunk: string): void {
    this.#give(chunk);
  }

  end(): void {
    this.#give(undefined);
  }
}

function open(
  overrides: Partial<StreamedResponse> = {},
  format: { events?: EventFormat } = { events: EVENTS },
) {
  const time = new FakeTime();
  const source = new Source();
  const outcomes: StreamOutcome[] = [];
  let firstChunks = 0;
  const delivery = new DeliveredBody(
    { body: source.chunks(), ...format, ...overrides },
    {
      clock: time.clock,
      after: time.after,
      envelopeOf: (failure) => ({ message: String(failure) }),
      onFirstChunk: () => {
        firstChunks += 1;
      },
      onEnd: (outcome) => outcomes.push(outcome),
    },
  );
  const body = webBody(delivery);
  const response = new Response(body);
  const decoder = new TextDecoder();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const read = async () => {
    reader ??= body.getReader();
    const { done, value } = await reader.read();
    return done ? undefined : decoder.decode(value);
  };
  const cancel = () => reader?.cancel() ?? body.cancel();
  return { time, source, response, read, cancel, outcomes, firstChunks: () => firstChunks };
}

async function* all(...chunks: readonly string[]): AsyncGenerator<string, void> {
  yield* chunks;
}

/** Takes a chunk when the test says so. */
class SlowSink implements Sink {
  readonly written: (string | Uint8Array)[] = [];
  take = () => {};

  write(chunk: string | Uint8Array): Promise<void> {
    this.written.push(chunk);
    return new Promise((resolve) => {
      this.take = resolve;
    });
  }
}

/** A body with these chunks, and a sink that is full after each. */
function runOn(chunks: Iterable<string> | AsyncIterable<string>, overrides: Partial<StreamedResponse> = {}) {
  const time = new FakeTime();
  const outcomes: StreamOutcome[] = [];
  async function* source() {
    yield* chunks;
  }
  const body = new DeliveredBody(
    { body: source(), events: EVENTS, ...overrides },
    {
      clock: time.clock,
      after: time.after,
      envelopeOf: String as never,
      onFirstChunk: () => {},
      onEnd: (outcome) => outcomes.push(outcome),
    },
  );
  return { body, sink: new SlowSink(), outcomes, time };
}

describe('a stream of events', () => {
  it('writes each event unchanged, in order, and ends after the last', async () => {
    const events = ['data: {"a":1}\n\n', 'event: ping\ndata: ü 漢 🙂\n\n', 'data: [DONE]\n\n'];
    const { response, outcomes, firstChunks } = open({ body: all(...events) });
    expect(await response.text()).toBe(events.join(''));
    expect(outcomes).toEqual([{ status: 'completed' }]);
    expect(firstChunks()).toBe(1);
  });

  it('writes an event in one write, as soon as it arrives', async () => {
    const { source, read } = open();
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      const next = read();
      await turn();
      source.give(event);
      expect(await next).toBe(event);
    }
  });

  it('requests at most one event more than its reader has read', async () => {
    const { source, read } = open();
    for (let readCount = 0; readCount < 20; readCount += 1) {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      expect(source.reads).toBeLessThanOrEqual(readCount + 1);
      source.give(`data: ${readCount}\n\n`);
      await turn();
      await read();
    }
    for (let turns = 0; turns < 5; turns += 1) await turn();
    expect(source.reads).toBe(21);
  });

  it('ends with an event that reports its failure', async () => {
    async function* failing() {
      yield 'data: 1\n\n';
      throw new Error('gone');
    }
    const { response, outcomes } = open({ body: failing() });
    expect(await response.text()).toBe('data: 1\n\nerror {"message":"Error: gone"}');
    expect(outcomes).toEqual([{ status: 'failed', failure: new Error('gone') }]);
  });
});

describe('a stream of bytes', () => {
  it('sends no heartbeat and breaks off if it fails', async () => {
    async function* failing() {
      yield new Uint8Array([1, 2]);
      throw new Error('gone');
    }
    const { response, time, outcomes } = open({ body: failing() }, {});
    expect(time.timers).toBe(0);
    await expect(response.bytes()).rejects.toThrow('gone');
    expect(outcomes).toEqual([{ status: 'failed', failure: new Error('gone') }]);
  });
});

describe('the heartbeat', () => {
  it('comes within 15 s of the last byte, again and again', async () => {
    const { time, source, read } = open();
    await turn();
    source.give('data: 1\n\n');
    expect(await read()).toBe('data: 1\n\n');
    for (let beats = 0; beats < 3; beats += 1) {
      const next = read();
      await time.advance(HEARTBEAT_MS);
      expect(await next).toBe(HEARTBEAT);
    }
    expect(HEARTBEAT_MS).toBe(15_000);
    // Less than a quarter of what ends a silent stream first, so that one or two may come late.
    expect(HEARTBEAT_MS).toBeLessThan((EDGE_SILENCE_SECONDS * 1000) / 4);
    expect(EDGE_SILENCE_SECONDS).toBeLessThan(GATEWAY_SILENCE_SECONDS);
  });

  it.each([1, 7_000, 14_999])('follows 15 s after an event that came %i ms into its interval', async (ms) => {
    const { time, source, read } = open();
    await turn();
    await time.advance(ms);
    source.give('data: 1\n\n');
    expect(await read()).toBe('data: 1\n\n');
    let beaten = false;
    const next = read().then((event) => {
      beaten = true;
      return event;
    });
    await time.advance(HEARTBEAT_MS - 1);
    await turn();
    expect(beaten).toBe(false);
    await time.advance(1);
    expect(await next).toBe(HEARTBEAT);
  });

  it('opens a stream whose headers are to leave before its first event, and counts for none', async () => {
    const { source, read, firstChunks } = open({ opening: HEARTBEAT });
    expect(await read()).toBe(HEARTBEAT);
    expect(firstChunks()).toBe(0);
    await turn();
    source.give('data: 1\n\n');
    expect(await read()).toBe('data: 1\n\n');
    expect(firstChunks()).toBe(1);
  });

  it('never piles up before a reader that does not read', async () => {
    const { time, source, read } = open();
    await turn();
    await time.advance(10 * HEARTBEAT_MS);
    expect(await read()).toBe(HEARTBEAT);
    await turn();
    source.give('data: 1\n\n');
    expect(await read()).toBe('data: 1\n\n');
  });

  it('stops when the events end', async () => {
    const { time, source, read } = open();
    const last = read();
    await turn();
    source.end();
    expect(await last).toBeUndefined();
    expect(time.timers).toBe(0);
  });
});

describe('a reader that leaves', () => {
  it('ends the chunks at once, which settle, and the heartbeat', async () => {
    let resolveEnd = () => {};
    const opened = open({ leave: () => resolveEnd() });
    const { time, source, read, cancel, outcomes } = opened;
    resolveEnd = () => source.end();
    await turn();
    source.give('data: 1\n\n');
    await read();
    await cancel();
    expect(source.settled).toBe(1);
    expect(time.timers).toBe(0);
    expect(outcomes).toEqual([{ status: 'cancelled' }]);
  });

  it('settles a stream that it leaves before its first request for an event', async () => {
    const { source, cancel, outcomes } = open({
      opening: HEARTBEAT,
      leave: () => setImmediate(() => source.end()),
    });
    await cancel();
    expect(source.settled).toBe(1);
    expect(outcomes).toEqual([{ status: 'cancelled' }]);
  });

  it('waits until a response that cannot be stopped is read to its end, and settles only then', async () => {
    const { source, read, cancel, outcomes } = open();
    await turn();
    source.give('data: 1\n\n');
    await read();
    const cancelled = cancel();
    source.give('data: 2\n\n');
    await turn();
    expect([source.settled, outcomes]).toEqual([0, []]);
    source.end();
    await cancelled;
    expect(source.settled).toBe(1);
    expect(outcomes).toEqual([{ status: 'cancelled' }]);
  });

  it('hides no failure of the chunks that it gave up', async () => {
    async function* unsettled() {
      try {
        yield 'data: 1\n\n';
        yield 'data: 2\n\n';
      } finally {
        await Promise.reject(new Error('not settled'));
      }
    }
    const { read, cancel, outcomes } = open({ body: unsettled() });
    await read();
    await cancel();
    expect(outcomes).toEqual([{ status: 'failed', failure: new Error('not settled') }]);
  });

  it('ends a body that waits for its sink, and has nothing further written to it', async () => {
    const { body, sink, outcomes } = runOn(['1', '2', '3']);
    const running = body.run(sink);
    await turn();
    await body.cancel();
    expect(outcomes).toEqual([{ status: 'cancelled' }]);
    sink.take();
    await running;
    expect(sink.written).toEqual(['1']);
  });

  it('ends a body before it runs, which then writes nothing', async () => {
    const { body, sink, outcomes, time } = runOn(['1']);
    await Promise.all([body.cancel(), body.run(sink)]);
    expect([sink.written, outcomes, time.timers]).toEqual([[], [{ status: 'cancelled' }], 0]);
  });

  it('reports the failure of a chunk that was requested before', async () => {
    const failure = new Error('gone');
    const { promise, reject } = Promise.withResolvers<string>();
    async function* failing() {
      yield await promise;
    }
    const { body, sink, outcomes } = runOn(failing());
    const running = body.run(sink);
    await turn();
    const cancelled = body.cancel();
    reject(failure);
    await Promise.all([running, cancelled]);
    expect([sink.written, outcomes]).toEqual([[], [{ status: 'failed', failure }]]);
  });

  it('does nothing after the end', async () => {
    let leaves = 0;
    const { body, sink, outcomes } = runOn([], { leave: () => (leaves += 1) });
    await body.run(sink);
    await body.cancel();
    expect([leaves, outcomes]).toEqual([0, [{ status: 'completed' }]]);
  });
});
