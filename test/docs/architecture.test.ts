import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

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
