/** Codex with the configuration of `examples/codex` (Codex documentation, Configuration, `model_providers`). */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { caller } from './caller.ts';
import { PROTOCOLS, REASONERS } from './models.ts';

const run = promisify(execFile);

const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples/codex/config.toml');

const { CLIENTS_CODEX: installed } = process.env;
/** True if `THOROUGH` is 2 or more. A plain run covers only part of the features that the protocols share. */
const isThorough = Number(process.env.THOROUGH ?? 1) > 1;
const CHANGING = [...PROTOCOLS, ...Object.entries(REASONERS).slice(0, isThorough ? 4 : 1)];
const UNKNOWN = isThorough ? PROTOCOLS : PROTOCOLS.slice(0, 1);

const described = installed === undefined ? describe.skip : describe;

/** The fields of Codex's events (`codex exec --json`) that this test reads. */
interface Event {
  readonly type: string;
  readonly item?: { readonly type: string; readonly text?: string };
}

/** The fields that Codex stores about one of its models. */
interface KnownModel {
  readonly apply_patch_tool_type?: string | null;
  readonly tool_mode?: string | null;
}

/** A change by the shell, and one by `apply_patch` after its result. */
const CHANGE = `call exec_command {"cmd":"echo alpha > greeting.txt"}
then
edit file greeting.txt:
-alpha
+gamma
end file`;

described('Codex, on the Responses API', () => {
  let folder: string;
  let models: Promise<string> | undefined;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'codex-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function codex(home: string, words: readonly string[]): Promise<string> {
    mkdirSync(home, { recursive: true });
    const configuration = readFileSync(EXAMPLE, 'utf8').replace('http://127.0.0.1:8787/v1', caller().baseURL);
    writeFileSync(join(home, 'config.toml'), configuration);
    const running = run(join(installed ?? '', 'node_modules', '.bin', 'codex'), words, {
      cwd: home,
      env: { ...process.env, HOME: home, CODEX_HOME: home, API_KEY: caller().apiKey },
      timeout: 50_000,
      maxBuffer: 2 ** 24,
    });
    running.child.stdin?.end();
    return (await running).stdout;
  }

  /** Runs Codex and returns its actions. The run has no provider-run tool and no information about the user. */
  async function exec(home: string, model: string, words: readonly string[]) {
    const options = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
    const printed = await codex(home, ['exec', ...words, ...options, '--model', model]);
    const events = printed
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? (JSON.parse(line) as Event) : []));
    const items = events.flatMap(({ type, item }) =>
      type === 'item.completed' && item !== undefined && item.type !== 'reasoning' ? [item] : [],
    );
    return {
      done: items.map(({ type }) => type),
      messages: items.flatMap(({ type, text }) => (type === 'agent_message' ? [text] : [])),
    };
  }

  /** A file that says of the models what Codex says of one of its own, less a tool that only OpenAI's server has. */
  async function describedModels(): Promise<string> {
    const printed = await codex(join(folder, 'known'), ['debug', 'models', '--bundled']);
    const { models } = JSON.parse(printed) as { models: KnownModel[] };
    const template = models.find((model) => model.apply_patch_tool_type === 'freeform' && !model.tool_mode);
    expect(template).toBeDefined();
    const path = join(folder, 'models.json');
    const described = CHANGING.map(([, slug]) => ({
      ...template,
      slug,
      display_name: slug,
      supports_search_tool: false,
    }));
    writeFileSync(path, JSON.stringify({ models: described }));
    return path;
  }

  it.each(PROTOCOLS)('runs one of its tools, and continues in a second turn, over %s', async (_, model) => {
    const home = join(folder, 'turns', model);
    const first = await exec(home, model, ['Use get_goal.']);
    expect(first.messages).toEqual([expect.stringContaining('The tool returned: ')]);
    const second = await exec(home, model, ['resume', '--last', 'Repeat exactly: second turn']);
    expect(second.messages).toEqual(['second turn']);
  });

  it.each(CHANGING)(
    'changes a file by its shell and by apply_patch as a tool of free form, over %s on %s',
    async (_, model) => {
      const home = join(folder, 'change', model);
      models ??= describedModels();
      const catalog = `model_catalog_json=${JSON.stringify(await models)}`;
      const { done } = await exec(home, model, [CHANGE, '-c', catalog]);
      expect(done).toEqual(['command_execution', 'file_change', 'agent_message']);
      expect(readFileSync(join(home, 'greeting.txt'), 'utf8')).toBe('gamma\n');
    },
  );

  it.each(UNKNOWN)(
    'changes a file only by its shell if it does not recognize the model, over %s',
    async (_, model) => {
      const home = join(folder, 'unknown', model);
      const { done } = await exec(home, model, [CHANGE]);
      // First it warns of the model.
      expect(done).toEqual(['error', 'command_execution', 'file_change', 'agent_message']);
      expect(readFileSync(join(home, 'greeting.txt'), 'utf8')).toBe('gamma\n');
    },
  );
});
