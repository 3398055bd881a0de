import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type GroupResult, ItemGroups } from '../../../lambdas/adapters/dynamodb/item-groups.ts';

interface Write {
  readonly item: string;
  readonly operations: readonly number[];
  /** Answers the write of a group; of one operation, its answer. */
  readonly end: (results: readonly GroupResult<string>[]) => void;
  readonly fail: (failure: Error) => void;
}

/** A queue whose writes are answered by the test, and what it has sent. */
function openGroups(most = 10) {
  const writes: Write[] = [];
  const send = (item: string, operations: readonly number[]) =>
    new Promise<readonly GroupResult<string>[]>((end, fail) => {
      writes.push({ item, operations, end, fail });
    });
  const groups = new ItemGroups<number, string>({
    choose: (waiting) => waiting.slice(0, most),
    alone: async (item, operation) => {
      const [result] = await send(item, [operation]);
      if (result === undefined || 'failure' in result) throw result?.failure;
      return result.answer;
    },
    together: send,
  });
  return { groups, writes };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const answers = (operations: readonly number[]) => operations.map((each) => ({ answer: `did ${each}` }));
const endAt = (writes: readonly Write[], place: number) => {
  const write = writes[place];
  if (write === undefined) throw new Error(`there is no write ${place}`);
  write.end(answers(write.operations));
};

describe('operations on one item', () => {
  it('that arrive in one turn of the event loop go in one write, at once', async () => {
    const { groups, writes } = openGroups();
    const done = Promise.all([1, 2, 3].map((operation) => groups.submit('a', operation)));
    await turn();
    expect(writes.map(({ operations }) => operations)).toEqual([[1, 2, 3]]);
    endAt(writes, 0);
    expect(await done).toEqual(['did 1', 'did 2', 'did 3']);
  });

  it('wait for the write in flight and then go together, in their order', async () => {
    const { groups, writes } = openGroups();
    const first = groups.submit('a', 1);
    await turn();
    const others = Promise.all([2, 3, 4].map((operation) => groups.submit('a', operation)));
    await turn();
    expect(writes).toHaveLength(1);
    endAt(writes, 0);
    await turn();
    expect(writes.map(({ operations }) => operations)).toEqual([[1], [2, 3, 4]]);
    endAt(writes, 1);
    expect([await first, await others]).toEqual(['did 1', ['did 2', 'did 3', 'did 4']]);
  });

  it('do not wait for a write that hangs', async () => {
    const { groups, writes } = openGroups();
    const hanging = groups.submit('a', 1);
    await turn();
    const other = groups.submit('a', 2);
    for (let waits = 0; writes.length < 2 && waits < 100; waits += 1) await sleep(5);
    endAt(writes, 1);
    expect(await other).toBe('did 2');
    endAt(writes, 0);
    expect(await hanging).toBe('did 1');
  });

  it('do not wait for those on another item', async () => {
    const { groups, writes } = openGroups();
    const done = [groups.submit('a', 1), groups.submit('b', 2)];
    await turn();
    expect(writes.map(({ item, operations }) => [item, operations])).toEqual([
      ['a', [1]],
      ['b', [2]],
    ]);
    for (const place of [0, 1]) endAt(writes, place);
    await Promise.all(done);
  });

  it('that do not fit go in the next write', async () => {
    const { groups, writes } = openGroups(2);
    const done = Promise.all([1, 2, 3, 4, 5].map((operation) => groups.submit('a', operation)));
    for (const place of [0, 1, 2]) {
      await turn();
      endAt(writes, place);
    }
    expect(await done).toHaveLength(5);
    expect(writes.map(({ operations }) => operations)).toEqual([[1, 2], [3, 4], [5]]);
  });
});

describe('a group', () => {
  it.each([
    ['was refused', (write: Write) => write.end([])],
    ['failed', (write: Write) => write.fail(new Error('no answer'))],
  ])('whose write %s is done one by one, and each operation fails for itself', async (_case, end) => {
    const { groups, writes } = openGroups();
    const done = Promise.allSettled([1, 2].map((operation) => groups.submit('a', operation)));
    await turn();
    const [group] = writes;
    if (group === undefined) throw new Error('nothing was sent');
    end(group);
    await turn();
    expect(writes.map(({ operations }) => operations)).toEqual([[1, 2], [1], [2]]);
    endAt(writes, 1);
    writes[2]?.end([{ failure: new Error('its own') }]);
    expect(await done).toMatchObject([
      { status: 'fulfilled', value: 'did 1' },
      { status: 'rejected', reason: { message: 'its own' } },
    ]);
  });

  it('answers, fails and leaves alone each operation as its write says', async () => {
    const { groups, writes } = openGroups();
    const done = Promise.allSettled([1, 2, 3].map((operation) => groups.submit('a', operation)));
    await turn();
    writes[0]?.end([{ answer: 'did 1' }, { failure: new Error('lost') }, undefined]);
    await turn();
    endAt(writes, 1);
    expect(await done).toMatchObject([
      { value: 'did 1' },
      { reason: { message: 'lost' } },
      { value: 'did 3' },
    ]);
    expect(writes.map(({ operations }) => operations)).toEqual([[1, 2, 3], [3]]);
  });
});
