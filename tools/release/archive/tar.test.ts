import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { tarOf } from './tar.ts';

const file = (path: string, text: string, isExecutable = false) => ({
  path,
  content: Buffer.from(text),
  isExecutable,
});

describe('a tar archive', () => {
  const long = `top/${'folder/'.repeat(20)}${'n'.repeat(90)}`;
  const files = [file(long, 'x'.repeat(513)), file('top/run', '#!', true), file('top/empty', '')];

  it('lists names, modes and contents to tar, with the same owner and time for each', () => {
    const listed = execFileSync('tar', ['tvf', '-', '--numeric-owner'], {
      input: tarOf(files),
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
    });
    expect(
      listed
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/)),
    ).toEqual([
      ['-rw-r--r--', '0/0', '0', '1980-01-01', '00:00', 'top/empty'],
      ['-rw-r--r--', '0/0', '513', '1980-01-01', '00:00', long],
      ['-rwxr-xr-x', '0/0', '2', '1980-01-01', '00:00', 'top/run'],
    ]);
    const content = execFileSync('tar', ['xOf', '-', long], { input: tarOf(files), encoding: 'utf8' });
    expect(content).toBe('x'.repeat(513));
  });

  it('equals that of the same files in another order', () => {
    expect(tarOf(files.toReversed()).equals(tarOf(files))).toBe(true);
  });

  it('fails for a name that the format has no room for', () => {
    expect(() => tarOf([file('n'.repeat(101), '')])).toThrow('too long for a tar archive');
  });
});
