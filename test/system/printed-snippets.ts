/** The text that the console prints, and the terminal that a user pastes it into. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { PolicyBody, PriceList } from '../../console/src/api/types.ts';
import { snippets } from '../../console/src/parts/snippets/clients.ts';
import { exampleOf } from '../../console/src/parts/snippets/requests.ts';
import { mp3 } from '../../tools/test-kit/recordings.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { ROOT, USERS_NODE } from './example-run.ts';
import type { Service } from './service.ts';

/** The clients whose packages only the ring `clients` installs, by the ids of their text. */
export const CLIENTS_OF_RING: readonly string[] = [
  'openai-python',
  'anthropic-python',
  'claude-code',
  'codex',
  'opencode',
];

/** The page of a key as the console prints it: an example of a call, as text for each client. */
export interface SnippetPage {
  readonly key: string;
  readonly model: string;
  readonly kind: string;
  /** The text by the id of its client. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Opens the page of a new key with that policy; returns what it prints. */
export async function openSnippetPage(service: Service, policy: PolicyBody): Promise<SnippetPage> {
  const { key } = await service.account('1');
  const response = await service.fetch('/api/v1/models', { key: null });
  const { models } = (await response.json()) as PriceList;
  const listed = models.filter(({ alias_of: of }) => of === undefined);
  const request = exampleOf(listed, policy);
  const model = listed.find(({ model_id: id }) => id === request.body.model);
  const all = snippets(service.session.base_url, key, request, model);
  const texts = new Map(all.map((snippet) => [snippet.id, snippet.text]));
  return { key, model: `${request.body.model}`, kind: request.kind, texts };
}

/** Asserts what the page waits for: calls of the key, all of them of that model and completed. */
export async function expectCalls(service: Service, { key, model, kind }: SnippetPage): Promise<void> {
  const read = async () => {
    const response = await service.fetch('/v1/usage', { key });
    return ((await response.json()) as { data: readonly object[] }).data;
  };
  const calls = await until(read, (data) => data.length > 0);
  for (const call of calls) expect(call).toMatchObject({ model, kind, status: 'completed' });
}

/** Before this, jest would end a test without what the client has printed. */
export const MAX_RUN_MS = 110_000;

/** No client looks for its own updates, or for models on the Internet. */
const OFFLINE = { DISABLE_AUTOUPDATER: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' };

/** A user's folder, with a recording, and the packages that the text says to install. */
export class Terminal {
  #parent = '';

  constructor() {
    beforeAll(() => {
      this.#parent = mkdtempSync(join(tmpdir(), 'snippets-'));
      symlinkSync(join(ROOT, 'node_modules'), join(this.#parent, 'node_modules'));
    });
    // A client that was ended may still write.
    afterAll(() => rmSync(this.#parent, { recursive: true, force: true, maxRetries: 10 }));
  }

  /** Returns a new folder, which is the user's home folder, too. */
  newFolder(): string {
    const folder = mkdtempSync(join(this.#parent, 'home-'));
    writeFileSync(join(folder, 'audio.mp3'), mp3(1));
    return folder;
  }

  /**
   * Runs lines of bash in a folder, with the programs of the folder `path` and `input` at the standard input. Returns the
   * output; throws if the exit code is not 0.
   */
  async paste(lines: string, folder: string, { input = '', path = '' } = {}): Promise<string> {
    const env = { ...OFFLINE, HOME: folder, PATH: `${path}:${process.env.PATH}` };
    const child = spawn('bash', ['-c', lines], { cwd: folder, env, timeout: MAX_RUN_MS });
    const closed = once(child, 'close');
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [status, signal] = await closed;
    if (status !== 0) throw new Error(`exit code ${status ?? signal}\n${stdout}\n${stderr}`);
    return stdout;
  }

  /** Runs a program that is pasted into a file. */
  runFile(program: string, name: string, folder: string, interpreter = USERS_NODE): Promise<string> {
    writeFileSync(join(folder, name), program);
    return this.paste(`'${interpreter}' ${name}`, folder);
  }
}
