/** opencode with this service as a provider of each of its two formats (opencode documentation, Providers, Custom provider). */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { caller } from './caller.ts';

const run = promisify(execFile);

const { CLIENTS_OPENCODE: installed } = process.env;
/** Pinned for Linux on x64 alone. */
const isHere = installed !== undefined && process.platform === 'linux' && process.arch === 'x64';
const described = isHere ? describe : describe.skip;

const FORMATS = [
  ['chat', '@ai-sdk/openai-compatible', 'sim/chat-large'],
  ['Messages', '@ai-sdk/anthropic', 'sim/chat-anthropic'],
] as const;

described('opencode', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'opencode-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The texts that it says, from its events (`--format json`). */
  async function opencode(home: string, npm: string, model: string, prompt: string): Promise<string[]> {
    const options = { baseURL: caller().baseURL, apiKey: caller().apiKey };
    const provider = { here: { npm, name: 'Here', options, models: { [model]: { name: model } } } };
    writeFileSync(join(home, 'opencode.json'), JSON.stringify({ provider, autoupdate: false }));
    const program = join(installed ?? '', 'node_modules', 'opencode-linux-x64', 'bin', 'opencode');
    const running = run(program, ['run', '--format', 'json', '--model', `here/${model}`], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, OPENCODE_DISABLE_MODELS_FETCH: '1' },
      timeout: 50_000,
      maxBuffer: 2 ** 24,
    });
    running.child.stdin?.end(prompt);
    const { stdout } = await running;
    return stdout.split('\n').flatMap((line) => {
      const event = line.startsWith('{')
        ? (JSON.parse(line) as { type: string; part?: { text?: string } })
        : null;
      return event?.type === 'text' ? [event.part?.text ?? ''] : [];
    });
  }

  it.each(FORMATS)('writes a file by its tool and responds, over %s by %s', async (format, npm, model) => {
    const home = join(folder, format);
    mkdirSync(home);
    const file = join(home, 'greeting.txt');
    const prompt = `call write ${JSON.stringify({ filePath: file, content: 'gamma' })}`;
    const result = await opencode(home, npm, model, prompt);
    expect(result).toEqual([expect.stringContaining('Done.')]);
    expect(readFileSync(file, 'utf8').trim()).toBe('gamma');
  });
});
