import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { After } from '../../lambdas/core/ports.ts';
import { HEARTBEAT_MS, type SseOptions, sseResponse } from '../../lambdas/edge/sse.ts';

/** Timers that fire when the test says so. */
class Timers {
  readonly #due: { readonly ms: number; readonly run: () => void }[] = [];

  readonly after: After = (ms, run) => {
    const timer = { ms, run };
    this.#due.push(timer);
    return () => {
      const at = this.#due.indexOf(timer);
      if (at >= 0) this.#due.splice(at, 1);
    };
  };

  get pending(): number[] {
    return this.#due.map(({ ms }) => ms);
  }

  /** Fires what is due, once. */
  fire(): void {
    for (const { run } of this.#due.splice(0)) run();
  }
}

/** Frames given one by one by the test; it sees how many were asked for, and whether they were given up. */
class Source implements AsyncIterable<string> {
  asked = 0;
  returned = 0;
  readonly #waiting: ((result: IteratorResult<string, undefined>) => void)[] = [];

  give(frame: string): void {
    this.#waiting.shift()?.({ done: false, value: frame });
  }

  end(): void {
    this.#waiting.shift()?.({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterator<string, undefined> {
    return {
      next: () => {
        this.asked += 1;
        return new Promise((resolve) => this.#waiting.push(resolve));
      },
      return: async () => {
        this.returned += 1;
        return { done: true, value: undefined };
      },
    };
  }
}

function open(options: Partial<SseOptions> = {}) {
  const timers = new Timers();
  const source = new Source();
  const response = sseResponse(source, { after: timers.after, headers: {}, ...options });
  const { body } = response;
  if (body === null) throw new Error('the response has no body');
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read = async () => {
    const { done, value } = await reader.read();
    return done ? undefined : decoder.decode(value);
  };
  return { timers, source, response, reader, read };
}

async function* frames(...all: readonly string[]): AsyncGenerator<string, void> {
  yield* all;
}

describe('an event stream', () => {
  it('says so in its headers, beside those it is given', async () => {
    const { response } = open({ headers: { 'x-route': 'sim-a' } });
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-route': 'sim-a',
    });
    expect(response.status).toBe(200);
  });

  it('writes each frame as it is, in order, and ends after the last', async () => {
    const all = ['data: {"a":1}\n\n', 'event: ping\ndata: ü 漢 🙂\n\n', 'data: [DONE]\n\n'];
    const response = sseResponse(frames(...all), { after: new Timers().after, headers: {} });
    expect(await response.text()).toBe(all.join(''));
  });

  it('writes a frame in one piece, as soon as it comes', async () => {
    const { source, read } = open();
    const first = read();
    await turn();
    source.give('data: 1\n\n');
    expect(await first).toBe('data: 1\n\n');
    const second = read();
    await turn();
    source.give('data: 2\n\n');
    expect(await second).toBe('data: 2\n\n');
  });

  it('asks for no frame that its reader does not take, but one', async () => {
    const { source, read } = open();
    for (let taken = 0; taken < 20; taken += 1) {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      expect(source.asked).toBeLessThanOrEqual(taken + 1);
      source.give(`data: ${taken}\n\n`);
      await turn();
      await read();
    }
    for (let turns = 0; turns < 5; turns += 1) await turn();
    expect(source.asked).toBe(21);
  });

  it('asks for one frame at a time', async () => {
    const { source, read } = open();
    const reads = [read(), read(), read()];
    await turn();
    expect(source.asked).toBe(1);
    source.give('a');
    expect(await reads[0]).toBe('a');
    await turn();
    expect(source.asked).toBe(2);
  });
});

describe('the heartbeat', () => {
  it('is a comment after 15 quiet seconds, again and again', async () => {
    const { timers, read } = open();
    expect(HEARTBEAT_MS).toBe(15_000);
    expect(timers.pending).toEqual([HEARTBEAT_MS]);
    for (let beats = 0; beats < 3; beats += 1) {
      const next = read();
      timers.fire();
      expect(await next).toBe(': keep-alive\n\n');
      expect(timers.pending).toEqual([HEARTBEAT_MS]);
    }
  });

  it('begins before the first frame, so that the headers leave', async () => {
    const { source, timers, read } = open();
    timers.fire();
    expect(await read()).toBe(': keep-alive\n\n');
    source.give('data: 1\n\n');
    expect(await read()).toBe('data: 1\n\n');
  });

  it('is the surface’s own event where it has one, as often as it asks', async () => {
    const { timers, read } = open({ heartbeat: 'event: ping\ndata: {}\n\n', heartbeatMs: 5 });
    expect(timers.pending).toEqual([5]);
    timers.fire();
    expect(await read()).toBe('event: ping\ndata: {}\n\n');
  });

  it('is not sent in an interval that had a frame', async () => {
    const { source, timers, read } = open();
    await turn();
    source.give('data: 1\n\n');
    expect(await read()).toBe('data: 1\n\n');
    const next = read();
    timers.fire();
    await turn();
    source.give('data: 2\n\n');
    expect(await next).toBe('data: 2\n\n');
  });

  it('never piles up before a reader that does not read', async () => {
    const { source, timers, read } = open();
    for (let beats = 0; beats < 10; beats += 1) timers.fire();
    expect(await read()).toBe(': keep-alive\n\n');
    await turn();
    source.give('data: 1\n\n');
    expect(await read()).toBe('data: 1\n\n');
  });

  it('stops when the frames end', async () => {
    const { source, timers, read } = open();
    const last = read();
    await turn();
    source.end();
    expect(await last).toBeUndefined();
    expect(timers.pending).toEqual([]);
  });
});

describe('a reader that leaves', () => {
  it('ends the frames and the heartbeat', async () => {
    const { source, timers, reader } = open();
    await turn();
    source.give('data: 1\n\n');
    await reader.read();
    await reader.cancel();
    expect(source.returned).toBe(1);
    expect(timers.pending).toEqual([]);
  });

  it('lets the frames run their finally, even while one is awaited', async () => {
    let settled = false;
    let release = (_value: string) => {};
    async function* awaiting(): AsyncGenerator<string, void> {
      try {
        yield await new Promise<string>((resolve) => {
          release = resolve;
        });
      } finally {
        settled = true;
      }
    }
    const response = sseResponse(awaiting(), { after: new Timers().after, headers: {} });
    await turn();
    const cancelled = response.body?.cancel();
    release('data: late\n\n');
    await cancelled;
    expect(settled).toBe(true);
  });
});
