/**
 * `npm run bench -- without-market [RING...]`: deletes the market from a copy of the tree, and checks the types of the
 * rest and runs its rings, `unit` and `system` unless others are named.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchMetric } from '../harness/report.ts';
import { copyWithoutMarket, removeCopy } from './copy.ts';

const RINGS = ['unit', 'system'];

/** Runs a program in the folder; returns its exit code. */
async function run(folder: string, program: string, ...args: readonly string[]): Promise<number> {
  const path = join(folder, 'node_modules', program);
  const child = spawn(process.execPath, [path, ...args], { cwd: folder, stdio: 'inherit' });
  const [code] = await once(child, 'close');
  return code ?? 1;
}

/** Runs a ring; returns its numbers of tests. */
async function runRing(
  folder: string,
  ring: string,
): Promise<{ readonly passed: number; readonly failed: number }> {
  const file = join(folder, `${ring}.json`);
  await run(
    folder,
    'jest/bin/jest.js',
    '--selectProjects',
    ring,
    '--json',
    `--outputFile=${file}`,
    '--silent',
  );
  if (!existsSync(file)) throw new Error(`the ring ${ring} did not run`);
  const result = JSON.parse(readFileSync(file, 'utf8'));
  return { passed: result.numPassedTests, failed: result.numFailedTests + result.numRuntimeErrorTestSuites };
}

export async function measureWithoutMarket(rings: readonly string[]): Promise<readonly BenchMetric[]> {
  const folder = copyWithoutMarket();
  try {
    await run(folder, '../test/docs/amounts.ts');
    const metrics: BenchMetric[] = [];
    for (const project of ['.', 'console']) {
      const code = await run(folder, 'typescript/bin/tsc', '-p', project);
      metrics.push({
        name: `types of ${project === '.' ? 'the service' : project}`,
        value: code,
        unit: 'exit code',
        most: 0,
      });
    }
    for (const ring of rings.length === 0 ? RINGS : rings) {
      const { passed, failed } = await runRing(folder, ring);
      metrics.push({ name: `${ring}: passed`, value: passed, unit: 'tests', least: 1 });
      metrics.push({ name: `${ring}: failed`, value: failed, unit: 'tests', most: 0 });
    }
    return metrics;
  } finally {
    removeCopy(folder);
  }
}
