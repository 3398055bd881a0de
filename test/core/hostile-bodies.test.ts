import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { HOSTILE } from './hostile-bodies.ts';

it('each body that is made to cost much is refused briefly, within two seconds of CPU and a heap of 100 MB', () => {
  const program = join(import.meta.dirname, 'hostile-bodies.ts');
  const options = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=100'];
  const lines = execFileSync(process.execPath, [...options, program], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const refused = lines.map(
    (line) => JSON.parse(line) as { name: string; status: number; length: number; cpuMs: number },
  );
  expect(refused.map(({ name }) => name)).toEqual(Object.keys(HOSTILE));
  for (const each of refused) {
    expect(each).toMatchObject({ status: 400 });
    expect(each.length).toBeLessThan(1000);
    // Twice the aim: the machine may be shared.
    expect([each.name, each.cpuMs < 2000]).toEqual([each.name, true]);
  }
}, 60_000);
