/** The text that the console prints, run as a user pastes it. The clients that this repository does not install are in the ring `clients`. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { KINDS } from '../../lambdas/platform/core/kinds.ts';
import { oneService } from './one-service.ts';
import { Payer } from './payer.ts';
import { CLIENTS_OF_RING, expectCalls, openSnippetPage, Terminal } from './printed-snippets.ts';
import { addShippedDefault } from './shipped-default.ts';

const service = oneService();
const terminal = new Terminal();

const withCurl = spawnSync('curl', ['--version']).status === 0 ? it : it.skip;

/** The files that curl and a program write, for the kinds whose response is no text. */
const FILES: Readonly<Record<string, readonly [ofCurl: string, ofProgram: string]>> = {
  image: ['image.json', 'image.png'],
  tts: ['speech.mp3', 'speech.mp3'],
};

const PROGRAMS = [
  ...KINDS.map((kind) => ['openai-node', kind] as const),
  ['anthropic-node', 'chat'],
  ['ai-sdk', 'chat'],
] as const;

describe('the text that the console prints', () => {
  withCurl.each(KINDS)('makes a call of kind %s with curl', async (kind) => {
    const page = await openSnippetPage(service, { allowed_kinds: [kind] });
    const folder = terminal.newFolder();
    const output = await terminal.paste(page.texts.get('curl') ?? '', folder);
    const [file] = FILES[kind] ?? [];
    const response = file === undefined ? output : readFileSync(join(folder, file), 'utf8');
    expect(response).not.toMatch(/^$|"error"/);
    await expectCalls(service, page);
  });

  it.each(PROGRAMS)('makes a call with the program %s for the kind %s', async (client, kind) => {
    const page = await openSnippetPage(service, { allowed_kinds: [kind] });
    const folder = terminal.newFolder();
    const output = await terminal.runFile(page.texts.get(client) ?? '', 'program.mjs', folder);
    const [, file] = FILES[kind] ?? [];
    expect(file === undefined ? output : readFileSync(join(folder, file), 'utf8')).not.toBe('');
    await expectCalls(service, page);
  });

  it('covers each client, here or in the ring of the clients', async () => {
    const { texts } = await openSnippetPage(service, {});
    const here = PROGRAMS.map(([client]) => client);
    expect(new Set(texts.keys())).toEqual(new Set(['curl', ...here, ...CLIENTS_OF_RING]));
  });
});

/** The output that Claude Code and opencode request of a model whose name they do not know. */
const AGENT_TOKENS = 32_000;

const PROMPT = { messages: [{ role: 'user', content: 'Say hello.' }] };
const FORMATS = [
  ['Messages', '/v1/messages', { ...PROMPT, max_tokens: AGENT_TOKENS }],
  ['chat', '/v1/chat/completions', { ...PROMPT, max_tokens: AGENT_TOKENS }],
  ['Responses', '/v1/responses', { input: 'Say hello.', max_output_tokens: AGENT_TOKENS }],
] as const;

interface LimitedModel {
  readonly id: string;
  readonly max_output_tokens: number;
}

/** Returns the model that the page of a new key requests. */
async function localDefault(): Promise<LimitedModel> {
  const { model: name } = await openSnippetPage(service, {});
  const { document } = await service.admin<{ document: { models: LimitedModel[] } }>('catalog', 'show');
  const model = document.models.find(({ id }) => id === name);
  if (model === undefined) throw new Error('the page requests a model that the catalog does not have');
  return model;
}

describe.each([
  ['of the local service', localDefault],
  ['of catalogs/bedrock.json', () => addShippedDefault(service)],
])('the default chat model %s', (_catalog, defaultModel) => {
  const payer = Payer.ofTests(service, '1');
  let model: LimitedModel;
  beforeAll(async () => {
    model = await defaultModel();
  });

  it.each(FORMATS)(
    'writes up to its limit for an agent that requests more, over %s',
    async (_, path, body) => {
      const { id, max_output_tokens: limit } = model;
      expect(limit).toBeLessThan(AGENT_TOKENS);
      const since = (await service.received()).at(-1)?.sequence ?? 0;
      const response = await payer.post(path, { model: id, ...body });
      expect([response.status, response.headers.get('x-max-tokens')]).toEqual([200, String(limit)]);
      const [request] = await service.received(since);
      expect(request?.body?.max_tokens ?? request?.body?.max_completion_tokens).toBe(limit);
    },
  );
});
