/** aider with this service behind each of the two formats that it calls by LiteLLM (aider documentation, OpenAI compatible APIs, Anthropic). */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { caller } from './caller.ts';
import { service } from './service.ts';

const run = promisify(execFile);

const { CLIENTS_AIDER: installed } = process.env;
const described = installed === undefined ? describe.skip : describe;

/** LiteLLM's name of the format, and a model. */
const RUNS = [
  ['openai', 'sim/chat-large'],
  ['anthropic', 'sim/chat-anthropic'],
  ['anthropic', 'sim/chat-bedrock'],
  ['openai', 'sim/chat-gemini'],
] as const;

/** The answer is an edit in the format `whole`: the name of a file, and then all of its content. */
const PROMPT = 'Repeat exactly: greeting.txt\n```\ngamma\n```';

/** One message and no questions; nothing of git, of the network, or of a repository's map. */
const OPTIONS = [
  '--message',
  PROMPT,
  '--yes-always',
  '--edit-format',
  'whole',
  '--map-tokens',
  '0',
  '--no-git',
  '--no-auto-lint',
  '--no-detect-urls',
  '--no-pretty',
  '--no-fancy-input',
  '--no-check-update',
  '--no-show-release-notes',
  '--no-show-model-warnings',
  '--analytics-disable',
];

/**
 * Writes local settings that keep aider from network requests, and instructions that are separate from the user's
 * message.
 */
function writeSettings(home: string, provider: string, model: string): void {
  const limits = { max_input_tokens: 100_000, max_output_tokens: 4096 };
  const modelSettings = { ...limits, litellm_provider: provider, mode: 'chat' };
  writeFileSync(join(home, '.aider.model.metadata.json'), JSON.stringify({ [model]: modelSettings }));
  // JSON is YAML.
  const settings = [{ name: model, edit_format: 'whole', reminder: 'sys' }];
  writeFileSync(join(home, '.aider.model.settings.yml'), JSON.stringify(settings));
}

described('aider', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'aider-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Returns the output of aider; throws if its exit code is not 0. */
  async function aider(home: string, provider: string, model: string): Promise<string> {
    const { baseURL, apiKey } = caller();
    const python = join(installed ?? '', 'bin', 'python');
    const models = ['--model', model, '--weak-model', model];
    const running = run(python, ['-m', 'aider', ...OPTIONS, ...models, 'greeting.txt'], {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        ...(provider === 'openai'
          ? { OPENAI_API_BASE: baseURL, OPENAI_API_KEY: apiKey }
          : { ANTHROPIC_API_BASE: service.session.base_url, ANTHROPIC_API_KEY: apiKey }),
      },
      timeout: 50_000,
    });
    running.child.stdin?.end();
    return (await running).stdout;
  }

  it.each(RUNS)('edits a file by its output, as a client of %s on %s', async (provider, id) => {
    const model = `${provider}/${id}`;
    const home = join(folder, model.replaceAll('/', '-'));
    mkdirSync(home);
    const file = join(home, 'greeting.txt');
    writeFileSync(file, 'alpha\n');
    writeSettings(home, provider, model);
    const printed = await aider(home, provider, model);
    expect(printed).toContain('Applied edit to greeting.txt');
    expect(printed).toMatch(/Tokens: [1-9]\S* sent, [1-9]\S* received/);
    expect(readFileSync(file, 'utf8')).toBe('gamma\n');
  });
});
