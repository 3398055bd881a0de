/** Claude Code with the settings of `examples/claude-code` (Claude Code documentation, LLM gateway configuration). */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { caller } from './caller.ts';
import { service } from './service.ts';

const run = promisify(execFile);

const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples/claude-code/settings.json');

const { CLIENTS_CLAUDE_CODE: installed } = process.env;
const isThorough = Number(process.env.THOROUGH ?? 1) > 1;
const described = installed === undefined ? describe.skip : describe;

/** The path of the upstream's calls, and the model asked for: an id, an alias, or what the client takes without one. */
const ROUTES: readonly (readonly [path: RegExp, model: string | undefined])[] = [
  [/\/chat\/completions$/, 'sim/chat-large'],
  [/\/responses$/, 'claude-opus-4-8'],
  [/^\/v1\/messages$/, 'claude-haiku-4-5-20251001'],
  [/^\/anthropic\/v1\/messages$/, undefined],
  [/converse-stream$/, 'sim-bedrock'],
  [/streamGenerateContent/, 'sim/chat-gemini'],
];
const MORE: typeof ROUTES = [
  [/\/responses$/, 'sim/reasoner-responses'],
  [/\/chat\/completions$/, 'claude-sonnet-4-5'],
  [/^\/v1\/messages$/, 'claude-haiku-4-5'],
  [/^\/v1\/messages$/, 'sim/chat-anthropic'],
];

/** The fields of Claude Code's output (`--output-format json`) that this test reads. */
interface ClaudeCodeResult {
  readonly is_error: boolean;
  readonly result: string;
  readonly num_turns: number;
  readonly session_id: string;
}

interface SentRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The last request that was read. */
let lastSequence = 0;

/** Returns the requests that have reached the upstream since the last call. */
async function sentRequests(): Promise<readonly SentRequest[]> {
  const address = `${service.session.upstream_control_url}/requests?since=${lastSequence}`;
  const { requests, last } = (await (await fetch(address)).json()) as {
    requests: SentRequest[];
    last: number;
  };
  lastSequence = last;
  return requests;
}

/** Reads a file, changes it by an edit, and runs a command on what it is then. */
const changeOf = (file: string) => `call Read {"file_path":"${file}"}
then
call Edit {"file_path":"${file}","old_string":"alpha","new_string":"gamma"}
then
call Bash {"command":"cp greeting.txt copy.txt && cat copy.txt","description":"Copies the greeting"}`;

described('Claude Code, on the Messages API', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'claude-code-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Its program is in a package of the machine's platform: what would copy it is a script, and none is run. */
  async function claude(home: string, prompt: string, model: string | undefined): Promise<ClaudeCodeResult> {
    const platform = `claude-code-${process.platform}-${process.arch}`;
    const program = join(installed ?? '', 'node_modules', '@anthropic-ai', platform, 'claude');
    const allowed = ['--allowedTools', 'Read', 'Edit', 'Bash', '--permission-mode', 'acceptEdits'];
    const modelArguments = model === undefined ? [] : ['--model', model];
    mkdirSync(join(home, '.claude'), { recursive: true });
    const settings = readFileSync(EXAMPLE, 'utf8').replace('http://127.0.0.1:8787', service.session.base_url);
    writeFileSync(join(home, '.claude', 'settings.json'), settings);
    const running = run(program, ['-p', prompt, '--output-format', 'json', ...allowed, ...modelArguments], {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        DISABLE_AUTOUPDATER: '1',
        API_KEY: caller().apiKey,
      },
      timeout: 50_000,
    });
    running.child.stdin?.end();
    // It prints an answer too where it fails.
    const { stdout } = await running.catch((failure: { stdout: string }) => failure);
    return JSON.parse(stdout) as ClaudeCodeResult;
  }

  it.each([...ROUTES, ...(isThorough ? MORE : [])])(
    'reads and edits a file and runs a command, over %s by the name %s',
    async (path, model) => {
      const home = join(folder, `${model}`);
      mkdirSync(home, { recursive: true });
      const file = join(home, 'greeting.txt');
      writeFileSync(file, 'alpha\n');
      await sentRequests();
      const { session_id: session, ...answer } = await claude(home, changeOf(file), model);
      expect(answer).toMatchObject({
        is_error: false,
        num_turns: 4,
        result: expect.stringContaining('Done.'),
      });
      expect(readFileSync(join(home, 'copy.txt'), 'utf8')).toBe('gamma\n');

      const requests = await sentRequests();
      expect(requests.map((each) => path.test(each.path))).toEqual([true, true, true, true]);
      for (const { headers } of requests) {
        // Of its own headers a route of the protocol has those that say what the request is.
        const isNative = path.test('/v1/messages') || path.test('/anthropic/v1/messages');
        expect(headers['anthropic-version']).toBe(isNative ? '2023-06-01' : undefined);
        if (isNative) expect(headers['anthropic-beta']).toContain('context-management-2025-06-27');
        else expect(headers['anthropic-beta']).toBeUndefined();
        const names = Object.keys(headers).filter((name) => /^x-(?!api-key|amz-|goog-api-key)/.test(name));
        expect(names).toEqual([]);
        expect(JSON.stringify(headers)).not.toContain(session);
      }
    },
  );
});
