import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { KIND_PATHS, KINDS } from './api/values.ts';
import { snippets } from './parts/snippets/clients.ts';
import { exampleOf, exampleRequest, messagesBody, type SnippetRequest } from './parts/snippets/requests.ts';

const BASE = 'http://127.0.0.1:1/prod';
const KEY = `uis_key's "own"`;

/** Characters to which the languages, a shell and curl give a special meaning. */
const HARD = [
  `it's "quoted" \\ \\n \\' \\" '''`,
  'line\nline\r\n\ttab \u0000\u0001\u007f\u2028\u2029',
  '$HOME ${HOME} $(id) `id` !! !1 %s #{x} {x}',
  'Grüße 你好 🦀 e\u0301 \u202e',
  '@/dev/null; exit 3 | & > < * ? [a-z] ~',
  '</script><img src=x onerror="alert(1)">',
].join(' ');

const SCHEMA = {
  type: 'object',
  properties: { [HARD]: { type: 'string', enum: [HARD, null, true, false, 1.5e300, -0.1] }, empty: {} },
  required: [],
};

const chat: SnippetRequest = {
  kind: 'chat',
  body: {
    model: 'sim/chat',
    messages: [
      { role: 'system', content: HARD },
      { role: 'user', content: HARD },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'And now?' },
    ],
    tools: [{ type: 'function', function: { name: 'look', description: HARD, parameters: SCHEMA } }],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } },
  },
};

/** A request of each kind, full of what is hard to quote. */
const REQUESTS: readonly SnippetRequest[] = [
  chat,
  { kind: 'embeddings', body: { model: 'sim/embeddings', input: HARD } },
  { kind: 'image', body: { model: 'sim/image', prompt: HARD, response_format: 'b64_json' } },
  { kind: 'tts', body: { model: 'sim/speech', input: HARD, voice: HARD } },
  { kind: 'audio', body: { model: '@sim/"transcription";type=x' }, file: `a "b" \\ 'c' $d, é;.mp3` },
];

const textOf = (request: SnippetRequest, id: string, limits = {}): string => {
  const snippet = snippets(BASE, KEY, request, limits).find((each) => each.id === id);
  if (snippet === undefined) throw new Error(`no snippet ${id} of ${request.kind}`);
  return snippet.text;
};

const folder = mkdtempSync(join(tmpdir(), 'snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('the example programs cover every kind of call', () => {
  expect(REQUESTS.map(({ kind }) => kind)).toEqual(KINDS.map(([kind]) => kind));
  for (const [kind] of KINDS) expect(exampleRequest(kind, 'sim/x').body.model).toBe('sim/x');
});

it('an example program requests the default chat model, and only models and kinds that a policy allows', () => {
  const models = [
    { model_id: 'a/image', type: 'image', default: true },
    { model_id: 'a/chat', type: 'chat' },
    { model_id: 'a/other', type: 'chat', default: true },
  ] as const;
  const chosen = (policy: Parameters<typeof exampleOf>[1]) => {
    const { kind, body } = exampleOf(models, policy);
    return [kind, body.model];
  };
  expect(chosen({})).toEqual(['chat', 'a/other']);
  expect(chosen({ allowed_models: ['a/image', 'a/chat'] })).toEqual(['chat', 'a/chat']);
  expect(chosen({ allowed_kinds: ['image'] })).toEqual(['image', 'a/image']);
  expect(chosen({ allowed_models: ['a/alias'] })).toEqual(['chat', 'a/alias']);
  expect(exampleOf([]).body.model).toBe('<model>');
});

it('programs that hold conversations or use the Messages API exist only for chat', () => {
  const idsOf = (request: SnippetRequest) => snippets(BASE, KEY, request).map(({ id }) => id);
  expect(idsOf(chat)).toEqual(expect.arrayContaining(['anthropic-node', 'claude-code', 'codex', 'ai-sdk']));
  for (const request of REQUESTS.slice(1))
    expect(idsOf(request)).toEqual(['curl', 'openai-node', 'openai-python']);
});

describe('a command for curl', () => {
  beforeAll(() => {
    const fake = join(folder, 'curl');
    writeFileSync(fake, `#!/bin/sh\nprintf '%s\\0' "$@"\n`);
    chmodSync(fake, 0o755);
  });

  /** The arguments that curl gets when the command is run by bash. */
  function argumentsOf(text: string): readonly string[] {
    const path = `${folder}:${process.env.PATH}`;
    const run = spawnSync('bash', ['-c', text], { encoding: 'utf8', env: { PATH: path, HOME: '/nowhere' } });
    expect({ status: run.status, errors: run.stderr }).toEqual({ status: 0, errors: '' });
    return run.stdout.split('\0').slice(0, -1);
  }

  it.each(REQUESTS)('sends $kind as requested', (request) => {
    const [address, ...rest] = argumentsOf(textOf(request, 'curl'));
    expect(address).toBe(BASE + KIND_PATHS[request.kind]);
    expect(rest.slice(0, 2)).toEqual(['-H', `Authorization: Bearer ${KEY}`]);
    if (request.kind === 'audio') {
      expect(rest.slice(2)).toEqual([
        '--form-string',
        `model=${request.body.model}`,
        '-F',
        `file=@"a \\"b\\" \\\\ 'c' $d, é;.mp3"`,
      ]);
    } else {
      expect(rest.slice(2, 5)).toEqual(['-H', 'Content-Type: application/json', '-d']);
      expect(JSON.parse(rest[5] ?? '')).toEqual(request.body);
    }
  });

  it('reaches curl changed if it is quoted only as JSON', () => {
    const unquoted = `curl -d ${JSON.stringify(JSON.stringify(chat.body))}`;
    const path = `${folder}:${process.env.PATH}`;
    const { stdout } = spawnSync('bash', ['-c', unquoted], { encoding: 'utf8', env: { PATH: path } });
    expect(stdout).not.toBe(`-d\0${JSON.stringify(chat.body)}\0`);
  });
});

interface SentSnippet {
  readonly url: string;
  readonly authorization: string | null;
  readonly body: unknown;
}

const RESPONSE = {
  choices: [{ message: {} }],
  data: [{ embedding: [], b64_json: '' }],
  content: [],
  text: '',
};

/** Runs a program for Node with the SDKs, whose requests go nowhere; resolves with what they sent. */
async function runNode(
  text: string,
): Promise<{ readonly sentRequests: readonly SentSnippet[]; readonly opened: readonly string[] }> {
  const [sentRequests, opened]: [SentSnippet[], string[]] = [[], []];
  const fetchInstead = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const form = request.headers.get('content-type')?.startsWith('multipart/') ?? false;
    const body = form ? Object.fromEntries(await request.formData()) : JSON.parse(await request.text());
    sentRequests.push({ url: request.url, authorization: request.headers.get('authorization'), body });
    return Response.json(RESPONSE);
  };
  const clients = {
    OpenAI: class extends OpenAI {
      constructor(options: ConstructorParameters<typeof OpenAI>[0]) {
        super({ ...options, fetch: fetchInstead });
      }
    },
    Anthropic: class extends Anthropic {
      constructor(options: ConstructorParameters<typeof Anthropic>[0]) {
        super({ ...options, fetch: fetchInstead });
      }
    },
    writeFile: async () => {},
    createReadStream: (name: string) => {
      opened.push(name);
      return new File(['sound'], 'sound.mp3');
    },
    console: { log: () => {} },
  };
  const [imports, program] = [/^import .*;$/gm, text.replaceAll(/^import .*;$/gm, '')];
  for (const [line] of text.matchAll(imports))
    expect(line).toMatch(/^import (OpenAI|Anthropic|\{ writeFile \}|\{ createReadStream \}) from "/);
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...args: unknown[]) => Promise<void>;
  await new AsyncFunction(...Object.keys(clients), `"use strict";${program}`)(...Object.values(clients));
  return { sentRequests, opened };
}

describe('a program for Node', () => {
  it.each(REQUESTS)("sends $kind through OpenAI's SDK as requested", async (request) => {
    const { sentRequests: all, opened } = await runNode(textOf(request, 'openai-node'));
    const [sentRequests, ...others] = all;
    expect(others).toEqual([]);
    expect(sentRequests?.url).toBe(BASE + KIND_PATHS[request.kind]);
    expect(sentRequests?.authorization).toBe(`Bearer ${KEY}`);
    if (request.kind === 'audio') {
      expect(sentRequests?.body).toEqual({ ...request.body, file: expect.any(File) });
      expect(opened).toEqual([request.file]);
    } else {
      expect(sentRequests?.body).toMatchObject(request.body);
    }
  });

  it("sends a conversation through Anthropic's SDK, with its tools and its output schema", async () => {
    const {
      sentRequests: [sentRequests],
    } = await runNode(textOf(chat, 'anthropic-node'));
    expect(sentRequests?.url).toBe(`${BASE}/v1/messages`);
    expect(sentRequests?.authorization).toBe(`Bearer ${KEY}`);
    expect(sentRequests?.body).toEqual({
      model: 'sim/chat',
      max_tokens: 1024,
      system: HARD,
      messages: chat.body.messages.slice(1),
      tools: [{ name: 'look', description: HARD, input_schema: SCHEMA }],
      output_config: { format: { type: 'json_schema', schema: SCHEMA } },
    });
  });

  it('retains a field named __proto__, which a literal would lose', async () => {
    const tools = JSON.parse('[{"__proto__":{"a":1},"b":2}]') as unknown;
    const { sentRequests } = await runNode(textOf({ ...chat, body: { ...chat.body, tools } }, 'openai-node'));
    expect(JSON.stringify(sentRequests.map(({ body }) => body))).toContain(
      '"tools":[{"__proto__":{"a":1},"b":2}]',
    );
  });
});

const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);
const withoutPython = python === undefined ? ' (skipped: there is no Python here)' : '';

/** Stands for an SDK: prints the one call that is made, as JSON. */
const SDK = `import json

class Part:
    def __init__(self, options, path):
        self._options, self._path = options, path

    def __getattr__(self, name):
        return '' if name == 'b64_json' else Part(self._options, [*self._path, name])

    def __getitem__(self, _at):
        return self

    def __call__(self, *given, **named):
        if named:
            call = {'options': self._options, 'path': self._path, 'named': named}
            print(json.dumps(call, default=lambda file: {'opened': file.name}))
        return Part(self._options, self._path)

def client(**options):
    return Part(options, [])

OpenAI = Anthropic = client
`;

(python === undefined ? describe.skip : describe)(`a program for Python${withoutPython}`, () => {
  beforeAll(() => {
    for (const name of ['openai', 'anthropic']) writeFileSync(join(folder, `${name}.py`), SDK);
  });

  function runPython(text: string) {
    const program = join(folder, 'program.py');
    writeFileSync(program, text);
    const env = { PATH: process.env.PATH, PYTHONPATH: folder, PYTHONUTF8: '1' };
    const run = spawnSync(python ?? '', [program], { encoding: 'utf8', cwd: folder, env });
    expect({ status: run.status, errors: run.stderr }).toEqual({ status: 0, errors: '' });
    return JSON.parse(run.stdout.split('\n')[0] ?? '') as {
      readonly options: object;
      readonly path: readonly string[];
      readonly named: Readonly<Record<string, unknown>>;
    };
  }

  it.each(REQUESTS)("calls OpenAI's SDK for $kind as requested", (request) => {
    const file = request.kind === 'audio' ? { file: { opened: request.file } } : {};
    if (request.kind === 'audio') writeFileSync(join(folder, request.file ?? ''), 'sound');
    const { options, path, named } = runPython(textOf(request, 'openai-python'));
    expect(options).toEqual({ base_url: `${BASE}/v1`, api_key: KEY });
    expect(path.join('.')).toMatch(/^[a-z.]+\.(create|generate)$/);
    expect(named).toEqual({ ...request.body, ...file });
    expect(existsSync(join(folder, 'image.png'))).toBe(request.kind === 'image');
    rmSync(join(folder, 'image.png'), { force: true });
  });

  it("calls Anthropic's SDK with the conversation, its tools and its output schema", () => {
    const { options, path, named } = runPython(textOf(chat, 'anthropic-python'));
    expect(options).toEqual({ base_url: BASE, auth_token: KEY, api_key: null });
    expect(path).toEqual(['messages', 'create']);
    expect(named).toEqual(messagesBody(chat.body));
  });
});

describe('text for another client', () => {
  const model = `sim/"it's" \\ $x`;
  const request = exampleRequest('chat', model);

  const limits = { context_window: 128_000, max_output_tokens: 16_384 };

  it.each([
    ['', {}],
    ['128000', limits],
  ])('contains exports that a shell reads back, for Claude Code: the context window %p', (window, known) => {
    const values = `"$ANTHROPIC_BASE_URL" "$ANTHROPIC_AUTH_TOKEN" "$CLAUDE_CODE_MAX_CONTEXT_TOKENS"`;
    const text = textOf(request, 'claude-code', known).replace(/^claude/m, `printf '%s\\0' ${values}`);
    const { stdout } = spawnSync('bash', ['-c', text], { encoding: 'utf8', env: { PATH: process.env.PATH } });
    expect(stdout.split('\0')).toEqual([BASE, KEY, window, '--model', model, '']);
  });

  it.each([
    [{}, {}],
    [{ context_window: 128_000 }, {}],
    [limits, { limit: { context: 128_000, output: 16_384 } }],
  ])('contains JSON that names the model, for opencode: of the limits %p', (known, entry) => {
    const [comment, ...lines] = textOf(request, 'opencode', known).split('\n');
    expect(comment).toBe('// opencode.json');
    const { provider, model: chosen } = JSON.parse(lines.join('\n'));
    expect(provider.gateway.options).toEqual({ baseURL: `${BASE}/v1`, apiKey: KEY });
    expect(provider.gateway.models).toEqual({ [model]: entry });
    expect(chosen).toBe(`gateway/${model}`);
  });

  it('contains a string with the same escapes in TOML and in JavaScript, for Codex and the AI SDK', () => {
    expect(textOf(request, 'codex')).toContain(`model = ${JSON.stringify(model)}\n`);
    expect(textOf(request, 'ai-sdk')).toContain(`gateway(${JSON.stringify(model)})`);
  });
});

it('an example program has the layout of code that a person wrote', () => {
  expect(textOf(exampleRequest('chat', 'sim/chat'), 'curl')).toBe(`curl ${BASE}/v1/chat/completions \\
  -H 'Authorization: Bearer uis_key'\\''s "own"' \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "sim/chat",
    "messages": [{ "role": "user", "content": "Say hello." }]
  }'`);
});
