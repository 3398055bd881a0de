/**
 * Coding agents that have nothing but an address and a key: an empty home folder, no settings of ours, and the models
 * that they request by themselves. What they request is compared with what `catalog check` expects.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { wireServer } from '../../lambdas/platform/testing/connections/wire-server.ts';
import { CLIENT_LIMITS } from '../../operator/catalog/client-limits.ts';
import { caller } from './caller.ts';
import { service } from './service.ts';

const run = promisify(execFile);

const { CLIENTS_CLAUDE_CODE: claudeCode, CLIENTS_CODEX: codex, CLIENTS_OPENCODE: opencode } = process.env;
const isThorough = Number(process.env.THOROUGH ?? 1) > 1;
const described = (installed: string | undefined) => (installed === undefined ? describe.skip : describe);

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8');

const HELLO = 'Repeat exactly: hello';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'first-contact-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Returns the output of a client that knows nothing of this machine but its programs; also if it fails. */
async function outputOf(program: readonly string[], environment: Readonly<Record<string, string>>) {
  const [file = '', ...words] = program;
  const env = { PATH: process.env.PATH, HOME: home, ...environment };
  const running = run(file, words, { cwd: home, env, timeout: 50_000, maxBuffer: 2 ** 24 });
  running.child.stdin?.end();
  const { stdout } = await running.catch((failure: { stdout: string }) => failure);
  return stdout;
}

/** The texts of a client that prints one event a line. */
const linesOf = (output: string): readonly { type: string; item?: { type: string; text?: string } }[] =>
  output.split('\n').flatMap((line) => (line.startsWith('{') ? JSON.parse(line) : []));

described(claudeCode)('Claude Code with an address and a key', () => {
  const platform = `claude-code-${process.platform}-${process.arch}`;
  const program = join(claudeCode ?? '', 'node_modules', '@anthropic-ai', platform, 'claude');
  const upstream = wireServer();

  const claude = (url: string, words: readonly string[], model: string | undefined) =>
    outputOf([program, '-p', ...words, ...(model === undefined ? [] : ['--model', model])], {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: caller().apiKey,
      DISABLE_AUTOUPDATER: '1',
    });

  it.each([undefined, 'sonnet', 'opus', 'haiku', 'fable'])('gets its answer as --model %s', async (model) => {
    expect(await claude(service.session.base_url, [HELLO], model)).toBe('hello\n');
  });

  it.each(['sonnet', 'opus'])(
    'gets an answer of its search of the web, if a route has one or not: --model %s',
    async (model) => {
      const prompt = 'call WebSearch {"query":"weather in Oslo"}';
      const words = [prompt, '--tools', 'WebSearch', '--allowedTools', 'WebSearch'];
      const printed = await claude(service.session.base_url, words, model);
      expect(printed).toContain('Web search results for query: "weather in Oslo"');
      expect(printed).not.toContain('Error');
    },
  );

  const { models } = JSON.parse(read('tools/local/seed/catalog.json')) as {
    models: readonly { readonly id: string; readonly type: string }[];
  };
  // Claude Code repeats calls of a model without a live route for minutes.
  const chatModels = models.flatMap(({ id, type }) =>
    type === 'chat' && id !== 'sim/chat-down' ? [id] : [],
  );
  const readme = read('examples/claude-code/README.md');
  const named = new Set(chatModels.filter((id) => readme.includes(`\`${id}\``)));

  (isThorough ? it : it.skip).each(chatModels)(
    'gets its answer unless the example says that it does not: --model %s',
    async (model) => {
      const printed = await claude(service.session.base_url, [HELLO], model);
      expect([model, printed === 'hello\n']).toEqual([model, !named.has(model)]);
    },
  );

  const names = [...CLIENT_LIMITS].filter(([, { client }]) => client.startsWith('Claude Code'));

  it.each(isThorough ? names : names.filter(([name]) => /sonnet-5/.test(name)))(
    'requests as many tokens of %s as the catalog check expects',
    async (name, { tokens }) => {
      upstream.respond = (response) => void response.writeHead(400).end();
      await claude(upstream.origin, [HELLO], name);
      const requested = upstream.requests.flatMap(({ body }) =>
        body === '' ? [] : [(JSON.parse(body) as { max_tokens?: number }).max_tokens],
      );
      expect(new Set(requested)).toEqual(new Set([tokens]));
    },
  );
});

described(codex)('Codex with an address and a key', () => {
  /** The provider, and nothing else: Codex takes it from no variable. */
  const configuration = () => `model_provider = "here"
[model_providers.here]
name = "Here"
base_url = "${caller().baseURL}"
env_key = "API_KEY"
`;

  async function exec(prompt: string, model: string | undefined) {
    writeFileSync(join(home, 'config.toml'), configuration());
    const options = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
    const program = join(codex ?? '', 'node_modules', '.bin', 'codex');
    const words = [program, 'exec', prompt, ...options, ...(model === undefined ? [] : ['--model', model])];
    const output = await outputOf(words, { CODEX_HOME: home, API_KEY: caller().apiKey });
    return linesOf(output).flatMap(({ type, item }) => (type === 'item.completed' && item ? [item] : []));
  }

  it('runs a command, on the model that it requests by itself', async () => {
    const items = await exec(
      'call exec { await tools.exec_command({ cmd: "echo gamma > greeting.txt" }) }',
      undefined,
    );
    expect(items.map(({ type }) => type)).toEqual(['command_execution', 'agent_message']);
    expect(readFileSync(join(home, 'greeting.txt'), 'utf8')).toBe('gamma\n');
  });

  it.each(['sim/chat', 'sim/responses', 'sim/chat-anthropic'])(
    'gets its answer on %s, although it declares a search that the route does not have',
    async (model) => {
      expect((await exec(HELLO, model)).at(-1)).toMatchObject({ type: 'agent_message', text: 'hello' });
    },
  );
});

/** Pinned for Linux on x64 alone. */
const isHere = process.platform === 'linux' && process.arch === 'x64';

described(isHere ? opencode : undefined)('opencode with an address and a key', () => {
  it.each([
    ['anthropic', undefined],
    ['anthropic', 'claude-opus-5-5'],
    ['openai', 'gpt-5.6-terra'],
  ])('gets its answer from the provider %s as --model %s', async (provider, model) => {
    const { baseURL, apiKey } = caller();
    writeFileSync(
      join(home, 'opencode.json'),
      JSON.stringify({ provider: { [provider]: { options: { baseURL } } }, autoupdate: false }),
    );
    const program = join(opencode ?? '', 'node_modules', 'opencode-linux-x64', 'bin', 'opencode');
    const words = [
      'run',
      '--format',
      'json',
      ...(model === undefined ? [] : ['--model', `${provider}/${model}`]),
    ];
    const output = await outputOf([program, ...words, HELLO], {
      [`${provider.toUpperCase()}_API_KEY`]: apiKey,
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    });
    expect(linesOf(output)).toContainEqual(
      expect.objectContaining({
        type: 'text',
        part: expect.objectContaining({ text: expect.stringContaining('hello') }),
      }),
    );
  });
});
