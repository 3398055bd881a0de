import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { SUBSCRIBABLE_TYPES } from '../../lambdas/webhooks/core/event.ts';
import { signatureHeaders } from '../../lambdas/webhooks/core/signature.ts';
import { newSigningSecret } from '../../lambdas/webhooks/store/signing-secret-store.ts';
import { freePort } from '../../tools/local/process/free-port.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'webhooks.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'receivers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const example = (language: string): string =>
  new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';

/** The commands that run each example; a compiled example is built first. */
const LANGUAGES = [
  {
    language: 'js',
    file: 'receiver.mjs',
    needs: process.execPath,
    build: undefined,
    run: [process.execPath, 'receiver.mjs'],
  },
  {
    language: 'python',
    file: 'receiver.py',
    needs: 'python3',
    build: undefined,
    run: ['python3', 'receiver.py'],
  },
  {
    language: 'go',
    file: 'receiver.go',
    needs: 'go',
    build: ['go', 'build', '-o', 'receiver', 'receiver.go'],
    run: ['./receiver'],
  },
] as const;

/** Go compiles its whole HTTP library first, which takes a minute: only where it is asked for. */
const isInstalled = (command: string): boolean => {
  if (command === 'go' && process.env.TEST_GO !== '1') return false;
  const { error } = spawnSync(command, [command === 'go' ? 'version' : '--version'], { stdio: 'ignore' });
  return error === undefined;
};

const INSTALLED = LANGUAGES.filter(({ needs }) => isInstalled(needs));
const MISSING = LANGUAGES.filter((each) => !INSTALLED.includes(each));

async function waitForResponse(url: string, child: ChildProcess): Promise<void> {
  const deadlineMs = Date.now() + 15_000;
  while (Date.now() < deadlineMs && child.exitCode === null) {
    if (await fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined)) return;
    await sleep(20);
  }
  throw new Error('the receiver did not start');
}

describe('the receivers of docs/webhooks.md', () => {
  it.each(INSTALLED)(
    'verify a delivery and reject a forgery: $language',
    async ({ language, file, build, run: [command, ...args] }) => {
      writeFileSync(join(folder, file), example(language));
      if (build !== undefined) execFileSync(build[0], build.slice(1), { cwd: folder, stdio: 'pipe' });
      const [secret, old] = [newSigningSecret(), newSigningSecret()];
      const port = await freePort();
      const child = spawn(command, args, {
        cwd: folder,
        env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
        stdio: 'ignore',
      });
      const url = `http://127.0.0.1:${port}/`;
      const body =
        '{"id":"evt_1","type":"review.created","created":"2026-11-21T05:00:00Z","data":{"text":"好"}}';
      const now = Math.floor(Date.now() / 1000);
      const post = async (timestamp: number, secrets: readonly string[], text = body): Promise<number> => {
        const headers = signatureHeaders({ id: 'evt_1', timestamp, body, secrets });
        return (await fetch(url, { method: 'POST', headers, body: text })).status;
      };
      try {
        await waitForResponse(url, child);
        expect(await post(now, [secret])).toBe(204);
        expect(await post(now, [old, secret])).toBe(204);
        expect(await post(now, [secret], body.replace('好', '坏'))).toBe(400);
        expect(await post(now, [old])).toBe(400);
        expect(await post(now - 400, [secret])).toBe(400);
        expect(await post(now + 400, [secret])).toBe(400);
        const unsigned = { method: 'POST', headers: { 'X-service-Signature': 'v1=,t=' }, body };
        expect((await fetch(url, unsigned)).status).toBe(400);
      } finally {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }
    },
    180_000,
  );

  it.each(LANGUAGES)('include an example in $language', ({ language }) => {
    expect(example(language)).toContain('WEBHOOK_SECRET');
  });

  for (const { language, needs } of MISSING)
    it.skip(`verify a delivery: ${language}, for want of ${needs} (TEST_GO=1 compiles the one in Go)`, () => {});
});

describe('docs/webhooks.md', () => {
  it('names every type of event and every route', () => {
    for (const type of SUBSCRIBABLE_TYPES) expect(page).toContain(`\`${type}\``);
    for (const { path } of ROUTES.filter((route) => route.path.startsWith('/api/v1/webhooks/{id}/')))
      expect(page).toContain(path.replace('/api/v1/webhooks', '...'));
  });
});
