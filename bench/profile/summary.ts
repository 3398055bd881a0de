/** A CPU profile as two lists: what each part of the program spent, and which functions spent most. */

/** As V8 writes it (Chrome DevTools Protocol, `Profiler.Profile`). */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  /** Microseconds between two samples. */
  readonly timeDeltas: readonly number[];
}

export interface Spending {
  readonly name: string;
  readonly microseconds: number;
}

export interface ProfileSummary {
  /** All but idle time. */
  readonly busyMicroseconds: number;
  readonly parts: readonly Spending[];
  readonly functions: readonly Spending[];
}

const IDLE = '(idle)';

/** Self times, greatest first. `sourceOf` names the module of a frame. */
export function summarize(
  { nodes, samples, timeDeltas }: CpuProfile,
  sourceOf: (url: string, line: number) => string,
): ProfileSummary {
  const parts = new Map<string, number>();
  const functions = new Map<string, number>();
  const named = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const source = sourceOf(url, lineNumber);
      return [id, { source, name: functionName || '(anonymous)' }] as const;
    }),
  );
  let busyMicroseconds = 0;
  for (const [at, id] of samples.entries()) {
    const spent = timeDeltas[at] ?? 0;
    const { source, name } = named.get(id) ?? { source: 'unknown', name: 'unknown' };
    if (name === IDLE) continue;
    busyMicroseconds += spent;
    add(parts, partOf(source, name), spent);
    add(functions, `${name} (${source})`, spent);
  }
  return { busyMicroseconds, parts: listed(parts), functions: listed(functions) };
}

/** A package, a folder of ours, or the runtime. */
export function partOf(source: string, name: string): string {
  if (name === '(garbage collector)') return 'garbage collector';
  const [, packaged] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  if (packaged !== undefined) return /^@(aws-sdk|smithy|aws)/.test(packaged) ? 'AWS SDK' : packaged;
  const [, ours] = /^(lambdas\/[^/]+)/.exec(source) ?? [];
  return ours ?? (source.startsWith('bench/') || source.startsWith('local/') ? 'host of the bench' : 'Node');
}

function add(sums: Map<string, number>, name: string, value: number): void {
  sums.set(name, (sums.get(name) ?? 0) + value);
}

const listed = (sums: ReadonlyMap<string, number>): Spending[] =>
  [...sums]
    .map(([name, microseconds]) => ({ name, microseconds }))
    .sort((a, b) => b.microseconds - a.microseconds);
