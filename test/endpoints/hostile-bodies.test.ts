import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { HOSTILE } from './hostile-bodies.ts';

describe('a body designed for high cost', () => {
  it('causes a short 400 error, within thirty times the CPU of a plain body and a heap of 100 MB', () => {
    const program = join(import.meta.dirname, 'hostile-bodies.ts');
    const options = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=100'];
    const printed = execFileSync(process.execPath, [...options, program], { encoding: 'utf8' });
    const [referenceMs = '', ...lines] = printed.trim().split('\n');
    const rejected = lines.map(
      (line) => JSON.parse(line) as { name: string; status: number; length: number; cpuMs: number },
    );
    expect(rejected.map(({ name }) => name)).toEqual(Object.keys(HOSTILE));
    for (const each of rejected) {
      expect(each).toMatchObject({ status: 400 });
      expect(each.length).toBeLessThan(1000);
      expect([each.name, each.cpuMs < 30 * Number(referenceMs)]).toEqual([each.name, true]);
    }
  });
});
