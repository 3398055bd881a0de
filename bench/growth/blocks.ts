/** Several kinds of the same work in turns, and how much more one takes than the first. */
import { median } from '../harness/statistics.ts';

export interface Kind {
  readonly name: string;
  readonly work: () => Promise<unknown>;
}

export interface Block {
  readonly name: string;
  /** CPU time of this process, a call. */
  readonly cpuMs: number;
  /** Time a call. */
  readonly ms: number;
}

export interface BlockOptions {
  readonly rounds: number;
  readonly calls: number;
  /** Rounds until the code is compiled, which are not kept. */
  readonly warmUp: number;
}

/** Every kind's block of every round, those of one round one after another. */
export async function measureBlocks(
  kinds: readonly Kind[],
  { rounds, calls, warmUp }: BlockOptions,
): Promise<Block[][]> {
  const found: Block[][] = [];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const order = round % 2 === 0 ? kinds : kinds.toReversed();
    const blocks: Block[] = [];
    for (const kind of order) blocks.push(await measureBlock(kind, calls));
    if (round >= warmUp) found.push(blocks);
  }
  return found;
}

async function measureBlock({ name, work }: Kind, calls: number): Promise<Block> {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  for (let call = 0; call < calls; call += 1) await work();
  const ms = (performance.now() - startedMs) / calls;
  const { user, system } = process.cpuUsage(before);
  return { name, ms, cpuMs: (user + system) / 1_000 / calls };
}

const of = (blocks: readonly Block[], name: string, measure: 'cpuMs' | 'ms'): number =>
  blocks.find((block) => block.name === name)?.[measure] ?? Number.NaN;

export const middleOf = (rounds: readonly Block[][], name: string, measure: 'cpuMs' | 'ms'): number =>
  median(rounds.map((blocks) => of(blocks, name, measure)));

/** The median of the rounds' ratios: what slowed a round down has slowed both. */
export const ratioOf = (
  rounds: readonly Block[][],
  [name, to]: readonly [string, string],
  measure: 'cpuMs' | 'ms',
): number => median(rounds.map((blocks) => of(blocks, name, measure) / of(blocks, to, measure)));
