/**
 * Leases with one rule broken at a time, as changes of their source: each must fail, or the histories do not prove the rule.
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

const CORE = 'lambdas/ledger/core';
const LEASES = `${CORE}/leases`;
const TESTING = 'lambdas/ledger/testing/leases';

export interface Control {
  readonly rule: string;
  /** Histories within which it fails, with room for other seeds. */
  readonly within: number;
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

const change = (file: string, from: string, to: string) => ({ file, from, to });

export const CONTROLS: readonly Control[] = [
  {
    rule: 'recovery subtracts what ticks have charged',
    within: 60,
    changes: [change(`${CORE}/recovery.ts`, '[-settled[0], -settled[1]]', '[0n, 0n]')],
  },
  {
    rule: 'a write of the wallet applies only to the entry that it was computed from',
    within: 60,
    changes: [change(`${TESTING}/items.ts`, 'found.sequence === from.sequence &&', 'found !== undefined ||')],
  },
  {
    rule: 'a write of the key applies only to the entry that it was computed from',
    within: 60,
    changes: [
      change(
        `${TESTING}/items.ts`,
        'return false;\n  const { windows, change }',
        'write.leaseId;\n  const { windows, change }',
      ),
    ],
  },
  {
    rule: 'every request has its own number',
    within: 600,
    changes: [change(`${LEASES}/lease.ts`, 'this.#sequence += 1;', 'this.#sequence = 1;')],
  },
  {
    rule: 'a record is signed before the fence',
    within: 600,
    changes: [
      change(
        `${TESTING}/simulated-database.ts`,
        'if (process.clock() > fenceMs) throw new FenceError();',
        '',
      ),
      change(`${LEASES}/lease.ts`, 'this.#dependencies.clock() > this.span.fenceMs', 'this.#hasEnded'),
    ],
  },
  {
    rule: 'the fence is checked after the signature is made',
    within: 4_000,
    changes: [
      change(
        `${TESTING}/simulated-process.ts`,
        'onSigned?.();\n      await this.gate();',
        'onSigned?.();\n      await this.gate();\n      signedMs = simulation.nowMs;',
      ),
      change(`${TESTING}/simulated-process.ts`, 'const signedMs', 'let signedMs'),
    ],
  },
  {
    rule: 'nothing is drawn that a request in flight may not have taken',
    within: 600,
    changes: [
      change(
        `${LEASES}/side.ts`,
        'return [this.#confirmed, ...this.#candidates];',
        'return [this.#confirmed];',
      ),
    ],
  },
  {
    rule: 'an opening is sent once',
    within: 200,
    changes: [
      change(`${TESTING}/simulated-database.ts`, 'write.from === undefined ? 1 : TRIES', 'TRIES'),
      change(`${TESTING}/simulated-database.ts`, 'tries: from === undefined ? 1 : TRIES', 'tries: TRIES'),
    ],
  },
  {
    rule: 'a refused request of which copies may be on their way is not taken as gone',
    within: 4_000,
    changes: [change(`${LEASES}/side.ts`, 'copies === 1', 'copies > 0')],
  },
  {
    rule: 'a side that has closed keeps what it has charged',
    within: 600,
    changes: [
      change(
        `${LEASES}/side.ts`,
        'totalOf(to.settled) - totalOf(from.settled)',
        'totalOf(to.settled) - totalOf(from.entry?.settled ?? NO_COST)',
      ),
    ],
  },
  {
    rule: 'a lease admits only the request ids that recovery reads',
    within: 1_200,
    changes: [change(`${LEASES}/leases.ts`, 'lease.span.covers(requestId)', 'requestId !== key.keyId')],
  },
  {
    rule: 'a cost is charged once its record is durable',
    within: 60,
    changes: [
      change(`${CORE}/covers.ts`, 'const durable =', 'onDurable();\n    const durable ='),
      change(`${CORE}/covers.ts`, '.then(onDurable, ', '.then(() => {}, '),
    ],
  },
  {
    rule: 'a cost counts for the day of its record',
    within: 60,
    changes: [change(`${LEASES}/lease-state.ts`, 'isNextDay ? 1 : 0', 'isNextDay ? 0 : 0')],
  },
  {
    rule: 'the policy of a key is at most a second old',
    within: 600,
    changes: [change(`${LEASES}/lease.ts`, '<= FRESH_MS', '<= 100 * FRESH_MS')],
  },
  {
    rule: 'nothing is drawn that a lowered limit no longer has',
    within: 4_000,
    changes: [
      change(`${LEASES}/lease-state.ts`, ' + Math.min(state.requestsLeft, 0)', ''),
      change(`${LEASES}/lease-state.ts`, ' + least(state[left], 0n)', ''),
    ],
  },
  {
    rule: 'a lease lasts one minute',
    within: 300,
    changes: [
      change(
        `${CORE}/lease-times.ts`,
        'Math.min(startMs + MINUTE_MS, nowMs + admitMs)',
        'startMs + 2 * MINUTE_MS',
      ),
      change(
        `${CORE}/lease-times.ts`,
        'this.#range = requestRange(startMs);',
        'this.#range = { from: requestRange(startMs).from, to: requestRange(startMs + MINUTE_MS).to };',
      ),
    ],
  },
  {
    rule: 'a lease expires once no request of its process is valid',
    within: 600,
    changes: [change(`${TESTING}/simulated-process.ts`, 'marginMs: 10_000 + 2 * 1_000', 'marginMs: 0')],
  },
  {
    rule: 'a call waits for the slack of other leases before it is rejected',
    within: 600,
    changes: [change(`${CORE}/remedies.ts`, '!this.#used.otherSlack', 'this.#used.otherSlack')],
  },
  {
    rule: 'a late copy of a hold is not charged',
    within: 60,
    changes: [change(`${CORE}/recovery.ts`, 'isSameAttempt ? record.cost : 0n', 'record.cost')],
  },
  {
    rule: 'a hold is recovered by the record of its call',
    within: 600,
    changes: [change(`${CORE}/recovery.ts`, "written === 'written' ? record : written", 'record')],
  },
];

/** Returns the seed and the law of the first history that breaks; undefined if none of so many does. */
export async function firstBroken({ changes }: Control, histories: number): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'lease-control-'));
  try {
    await cp(join(ROOT, 'lambdas'), join(directory, 'lambdas'), { recursive: true });
    await cp(join(ROOT, 'package.json'), join(directory, 'package.json'));
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    for (const { file, from, to } of changes) {
      const path = join(directory, file);
      const source = await readFile(path, 'utf8');
      if (!source.includes(from)) throw new Error(`${file} has no ${from}`);
      await writeFile(path, source.replace(from, to));
    }
    return await play(join(directory, TESTING, 'play-histories.ts'), histories);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function play(program: string, histories: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, String(histories)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.once('error', reject);
    child.once('close', () => resolve(output === '' ? undefined : output));
  });
}
