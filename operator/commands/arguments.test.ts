import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const KEY = `uis_${'0'.repeat(52)}${'a'.repeat(72)}`;

/** Runs the operator's command without a service. */
function run(...args: string[]) {
  const program = join(import.meta.dirname, '..', 'admin.ts');
  const env = { ...process.env, LOCAL_DIR: join(import.meta.dirname, 'no-service') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    env,
  });
  return { status, text: stdout + stderr };
}

describe('the text of a key in place of an id', () => {
  it.each([
    ['an option', ['key', 'revoke', '--key', KEY]],
    ['a part of a word', ['account', 'find', `--account=${KEY}`]],
    ['a stray argument', ['key', 'find', KEY]],
    ['a command', [KEY]],
    ['a key that is cut', ['key', 'show', '--key', KEY.slice(0, 60)]],
  ])('causes an error as %s, which does not repeat it', (_, args) => {
    const { status, text } = run(...args);
    expect(status).toBe(2);
    expect(text).toContain('not a key id');
    expect(text).not.toContain(KEY.slice(4, 40));
  });

  it('does not stop an id, which reaches its command', () => {
    expect(run('key', 'revoke', '--key', 'key_1').text).not.toContain('not a key id');
  });
});
