import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CONTEXTS } from '../architecture/layers.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
const list = page.split('<!-- chat path -->')[1]?.split('<!-- /chat path -->')[0] ?? '';
const files = [...list.matchAll(/`([^`]+\.ts)`/g)].map(([, path = '']) => path);
const happy = [...list.matchAll(/\*\*`([^`]+\.ts)`\*\*/g)].map(([, path = '']) => path);

describe('the chat path of the architecture page', () => {
  it('exists, with each file listed once', () => {
    expect(files.length).toBeGreaterThan(20);
    for (const path of files) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    expect(new Set(files).size).toBe(files.length);
  });

  it('stays within 24 files and 4,000 lines', () => {
    const lines = files.map((path) => readFileSync(join(root, path), 'utf8').split('\n').length - 1);
    expect(files.length).toBeLessThanOrEqual(24);
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(4_000);
    expect(happy.length).toBeGreaterThan(12);
  });
});

/** Returns the names to which the diagram's arrows lead from each name, through others too. */
function reachedIn(diagram: string): Map<string, Set<string>> {
  const reached = new Map<string, Set<string>>();
  for (const chain of diagram.split(/\n|;/)) {
    const steps = chain.split('->').map((names) => names.split(',').map((name) => name.trim()));
    for (const [index, step] of steps.entries())
      for (const from of step)
        reached.set(from, new Set([...(reached.get(from) ?? []), ...(steps[index + 1] ?? [])]));
  }
  for (const all of reached.values())
    for (const name of all) for (const next of reached.get(name) ?? []) all.add(next);
  reached.delete('*');
  return reached;
}

describe('the diagram of the architecture page', () => {
  it('shows the arrows between contexts that the code may follow', () => {
    const [, diagram = ''] = /between contexts:(.*?)\nin a context:/s.exec(page) ?? [];
    const reached = reachedIn(diagram.replace('every context', '*'));
    expect(Object.fromEntries([...reached].map(([from, to]) => [from, [...to].sort()]))).toEqual(
      Object.fromEntries(Object.entries(CONTEXTS).map(([from, to]) => [from, [...to].sort()])),
    );
  });
});
