/** A request with OpenAI's and Anthropic's SDKs, for Node and for Python. */
import { Code, literal, NODE, PYTHON } from './literals.ts';
import { type ChatBody, messagesBody, type SnippetRequest } from './requests.ts';

type Kind = SnippetRequest['kind'];

interface Program {
  /** Imports in addition to the SDK. */
  readonly imports?: string;
  /** The method of OpenAI's client. */
  readonly method: string;
  /** The code that handles `answer`. */
  readonly handlerCode: string;
}

const NODE_PROGRAMS: Readonly<Record<Kind, Program>> = {
  chat: { method: 'chat.completions.create', handlerCode: 'console.log(answer.choices[0].message);' },
  embeddings: { method: 'embeddings.create', handlerCode: 'console.log(answer.data[0].embedding);' },
  image: {
    imports: 'import { writeFile } from "node:fs/promises";\n',
    method: 'images.generate',
    handlerCode: 'await writeFile("image.png", Buffer.from(answer.data[0].b64_json, "base64"));',
  },
  tts: {
    imports: 'import { writeFile } from "node:fs/promises";\n',
    method: 'audio.speech.create',
    handlerCode: 'await writeFile("speech.mp3", Buffer.from(await answer.arrayBuffer()));',
  },
  audio: {
    imports: 'import { createReadStream } from "node:fs";\n',
    method: 'audio.transcriptions.create',
    handlerCode: 'console.log(answer.text);',
  },
};

const PYTHON_PROGRAMS: Readonly<Record<Kind, Program>> = {
  chat: { method: 'chat.completions.create', handlerCode: 'print(answer.choices[0].message)' },
  embeddings: { method: 'embeddings.create', handlerCode: 'print(answer.data[0].embedding)' },
  image: {
    imports: 'import base64\n\n',
    method: 'images.generate',
    handlerCode:
      'with open("image.png", "wb") as file:\n    file.write(base64.b64decode(answer.data[0].b64_json))',
  },
  tts: { method: 'audio.speech.create', handlerCode: 'answer.write_to_file("speech.mp3")' },
  audio: { method: 'audio.transcriptions.create', handlerCode: 'print(answer.text)' },
};

/** The fields of a request, with the file that a transcription has. */
const fieldsOf = (request: SnippetRequest, open: (name: string) => string): object =>
  request.kind === 'audio'
    ? { ...request.body, file: new Code(open(JSON.stringify(request.file ?? 'audio.mp3'))) }
    : request.body;

/** Named arguments of a call. */
const pythonArguments = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `    ${name}=${literal(value, PYTHON, 4)},\n`)
    .join('');

const q = (text: string): string => JSON.stringify(text);

export function openaiNode(base: string, key: string, request: SnippetRequest): string {
  const { imports = '', method, handlerCode } = NODE_PROGRAMS[request.kind];
  return `// npm install openai
${imports}import OpenAI from "openai";

const client = new OpenAI({ baseURL: ${q(`${base}/v1`)}, apiKey: ${q(key)} });
const answer = await client.${method}(${literal(
    fieldsOf(request, (name) => `createReadStream(${name})`),
    NODE,
  )});
${handlerCode}`;
}

export function openaiPython(base: string, key: string, request: SnippetRequest): string {
  const { imports = '', method, handlerCode } = PYTHON_PROGRAMS[request.kind];
  return `# pip install openai
${imports}from openai import OpenAI

client = OpenAI(base_url=${q(`${base}/v1`)}, api_key=${q(key)})
answer = client.${method}(
${pythonArguments(fieldsOf(request, (name) => `open(${name}, "rb")`))})
${handlerCode}`;
}

export const anthropicNode = (base: string, key: string, body: ChatBody): string =>
  `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: ${q(base)}, authToken: ${q(key)}, apiKey: null });
const answer = await client.messages.create(${literal(messagesBody(body), NODE)});
console.log(answer.content);`;

export const anthropicPython = (base: string, key: string, body: ChatBody): string =>
  `# pip install anthropic
from anthropic import Anthropic

client = Anthropic(base_url=${q(base)}, auth_token=${q(key)}, api_key=None)
answer = client.messages.create(
${pythonArguments(messagesBody(body))})
print(answer.content)`;
