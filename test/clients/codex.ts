/** Codex with this service as its provider, as its own configuration has it (Codex, Configuration, `model_providers`). */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { caller } from './caller.ts';
import { PROTOCOLS } from './models.ts';

const run = promisify(execFile);

const { CLIENTS_CODEX: installed } = process.env;
const described = installed === undefined ? describe.skip : describe;

/** What of Codex's events is read here (`codex exec --json`). */
interface Event {
  readonly type: string;
  readonly item?: { readonly type: string; readonly text?: string };
}

described('Codex, on the Responses API', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'codex-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Its messages; without a tool that the provider runs, and without what it knows of its user. */
  async function exec(model: string, words: readonly string[]): Promise<(string | undefined)[]> {
    const { baseURL, apiKey } = caller();
    const home = join(folder, model);
    mkdirSync(home, { recursive: true });
    const provider = `{name="here",base_url="${baseURL}",env_key="HERE_KEY",wire_api="responses"}`;
    const settings = ['model_provider="here"', `model_providers.here=${provider}`, 'web_search="disabled"'];
    const options = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
    const running = run(
      join(installed ?? '', 'node_modules', '.bin', 'codex'),
      ['exec', ...words, ...options, '--model', model, ...settings.flatMap((setting) => ['-c', setting])],
      {
        cwd: home,
        env: { ...process.env, HOME: home, CODEX_HOME: home, HERE_KEY: apiKey },
        timeout: 50_000,
      },
    );
    running.child.stdin?.end();
    const { stdout } = await running;
    const events = stdout
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? (JSON.parse(line) as Event) : []));
    return events.flatMap(({ type, item }) =>
      type === 'item.completed' && item?.type === 'agent_message' ? [item.text] : [],
    );
  }

  it.each(PROTOCOLS)('runs one of its tools, and goes on in a second turn, over %s', async (_, model) => {
    expect(await exec(model, ['Use get_goal.'])).toEqual([expect.stringContaining('The tool returned: ')]);
    expect(await exec(model, ['resume', '--last', 'Repeat exactly: second turn'])).toEqual(['second turn']);
  });

  it.each(PROTOCOLS)('edits a file in its folder, over %s', async (_, model) => {
    await exec(model, ['create file notes.txt:\nplain words\nend file']);
    expect(readFileSync(join(folder, model, 'notes.txt'), 'utf8')).toBe('plain words\n');
  });
});
