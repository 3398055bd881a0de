/**
 * The text that the console prints for clients that this ring installs, run as a user pastes it: on the default chat model of
 * the page, and on that of `catalogs/bedrock.json`. The agents answer a prompt; nothing else is configured.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { PolicyBody } from '../../console/src/api/types.ts';
import { KINDS, type Kind } from '../../lambdas/platform/core/kinds.ts';
import {
  CLIENTS_OF_RING,
  expectCalls,
  MAX_RUN_MS,
  openSnippetPage,
  type SnippetPage,
  Terminal,
} from '../system/printed-snippets.ts';
import { addShippedDefault, shippedDefault } from '../system/shipped-default.ts';
import { service } from './service.ts';

const {
  CLIENTS_PYTHON: python,
  CLIENTS_CLAUDE_CODE: claudeCode,
  CLIENTS_CODEX: codex,
  CLIENTS_OPENCODE: opencode,
} = process.env;

const isThorough = Number(process.env.THOROUGH ?? 1) > 1;

const terminal = new Terminal();
const PROMPT = 'Say hello.';

/** Programs are in a package of the machine's platform; opencode and Codex's terminal are tried on Linux alone. */
const platform = `${process.platform}-${process.arch}`;
const isLinux = platform === 'linux-x64' && spawnSync('script', ['--version']).status === 0;

/** Returns a folder with the program of an agent under the name that a user types. */
function pathWith(name: string, program: string): string {
  const folder = terminal.newFolder();
  symlinkSync(program, join(folder, name));
  return folder;
}

/** Writes the text into the file that its first line names; returns the commands at its end, which are comments of the file. */
function writeConfiguration(text: string, home: string): string {
  const [, name = ''] = /^(?:#|\/\/) (?:~\/)?(\S+)\n/.exec(text) ?? [];
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const [, commands = ''] = text.split('\n# then, in the shell:\n');
  return commands.replaceAll(/^# /gm, '');
}

/** Runs commands on a terminal that answers where its cursor is, until their calls have arrived; rejects if they end before. */
async function onTerminal(commands: string, home: string, path: string, page: SnippetPage): Promise<void> {
  const env = { HOME: home, PATH: `${path}:${process.env.PATH}`, TERM: 'xterm-256color' };
  const lines = `stty rows 40 cols 120\n${commands}`;
  const child = spawn('script', ['-qec', lines, '/dev/null'], { cwd: home, env, timeout: MAX_RUN_MS });
  let output = '';
  child.stdout.on('data', (shown: Buffer) => {
    output += String(shown);
    if (shown.includes('\u001b[6n')) child.stdin.write('\u001b[1;1R');
  });
  const ended = once(child, 'close').then(() => {
    throw new Error(`ended without a call:\n${output}`);
  });
  try {
    await Promise.race([expectCalls(service, page), ended]);
  } finally {
    child.kill('SIGKILL');
    await ended.catch(() => undefined);
  }
}

interface Run {
  readonly id: string;
  readonly policy: PolicyBody;
  /** Pastes the text, and returns once the client has ended; rejects if it fails. */
  readonly start: (text: string, home: string, page: SnippetPage) => Promise<unknown>;
}

const ofPython = (id: string, kind: Kind): Run => ({
  id,
  policy: { allowed_kinds: [kind] },
  start: (text, home) => terminal.runFile(text, 'program.py', home, join(python ?? '', 'bin', 'python')),
});

/** Without `-p`, Claude Code reads its prompt from a standard input that is no terminal. */
const ofClaudeCode = (policy: PolicyBody): Run => ({
  id: 'claude-code',
  policy,
  start: (text, home) => {
    const program = join(claudeCode ?? '', 'node_modules/@anthropic-ai', `claude-code-${platform}`, 'claude');
    return terminal.paste(text, home, { path: pathWith('claude', program), input: PROMPT });
  },
});

const ofOpencode = (policy: PolicyBody): Run => ({
  id: 'opencode',
  policy,
  start: (text, home) => {
    const program = join(opencode ?? '', 'node_modules/opencode-linux-x64/bin/opencode');
    writeConfiguration(text, home);
    return terminal.paste(`opencode run '${PROMPT}'`, home, { path: pathWith('opencode', program) });
  },
});

const ofCodex = (policy: PolicyBody): Run => ({
  id: 'codex',
  policy,
  start: (text, home, page) => {
    const program = join(codex ?? '', 'node_modules/.bin/codex');
    const commands = writeConfiguration(text, home);
    return onTerminal(commands, home, pathWith('codex', program), page);
  },
});

const bedrock: PolicyBody = { allowed_models: [shippedDefault().id] };

/** Claude Code alone requests more than the limit in spite of the text, which states the limit for opencode. */
const RUNS: readonly (readonly [title: string, installed: string | undefined, run: Run])[] = [
  ...KINDS.map((kind) => [`OpenAI, Python, kind ${kind}`, python, ofPython('openai-python', kind)] as const),
  ['Anthropic, Python', python, ofPython('anthropic-python', 'chat')],
  ['Claude Code', claudeCode, ofClaudeCode({})],
  ['Claude Code, default model of catalogs/bedrock.json', claudeCode, ofClaudeCode(bedrock)],
  ['opencode', isLinux ? opencode : undefined, ofOpencode({})],
  [
    'opencode, default model of catalogs/bedrock.json',
    isLinux && isThorough ? opencode : undefined,
    ofOpencode(bedrock),
  ],
  ['Codex', isLinux ? codex : undefined, ofCodex({})],
];

async function runPrinted({ id, policy, start }: Run): Promise<void> {
  const page = await openSnippetPage(service, policy);
  await start(page.texts.get(id) ?? '', terminal.newFolder(), page);
  await expectCalls(service, page);
}

describe('the text that the console prints', () => {
  const running = new Map<string, Promise<void>>();

  // All at once: each waits for most of its time for others.
  beforeAll(async () => {
    await addShippedDefault(service);
    for (const [title, installed, run] of RUNS) {
      if (installed === undefined) continue;
      const finished = runPrinted(run);
      finished.catch(() => undefined);
      running.set(title, finished);
    }
  });

  for (const [title, installed] of RUNS)
    (installed === undefined ? it.skip : it)(`makes a call: ${title}`, () => running.get(title));

  it('covers each client whose packages this ring installs', () => {
    expect(new Set(RUNS.map(([, , { id }]) => id))).toEqual(new Set(CLIENTS_OF_RING));
  });
});
