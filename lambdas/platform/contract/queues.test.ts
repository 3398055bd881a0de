import { describe, expect, it } from '@jest/globals';
import { QUEUES, type Queue, queueNameOf } from './queues.ts';

const queues = Object.entries(QUEUES) as readonly (readonly [string, Queue])[];
const read = queues.flatMap(([name, queue]) => (queue.reader === undefined ? [] : [{ name, queue }]));

describe('a queue that is read', () => {
  it.each(read)('forgives a message failed readings, but not many: $name', ({ queue: { dead } }) => {
    // A reader fails for reasons that pass, such as a throttled database; a poison message fails for ever.
    expect(dead?.maxReceives).toBeGreaterThanOrEqual(3);
    expect(dead?.maxReceives).toBeLessThanOrEqual(10);
  });

  it('sends its failed messages to a queue without a reader', () => {
    expect(read.length).toBeGreaterThan(2);
    for (const { queue } of read) {
      const dead = queues.find(([name]) => name === queue.dead?.queue);
      expect(dead?.[1]).toEqual({ variable: expect.stringMatching(/^DEAD_/) });
    }
  });
});

describe('the name of a queue', () => {
  it('starts with its stage', () => {
    expect(queueNameOf('prod', 'deadEvents')).toBe('prod-dead-events');
    expect(queueNameOf('prod', 'retries')).toBe('prod-retries');
  });
});
