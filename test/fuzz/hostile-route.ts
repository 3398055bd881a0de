/** Answers of routes of each protocol, spoiled, with a word in every place that is none of a caller's business. */
import { Readable } from 'node:stream';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import type { ChatProtocol } from '../../lambdas/inference/core/catalog/route-document.ts';
import {
  block,
  change,
  closed,
  FINAL_EVENT,
  START,
  STOP,
} from '../../lambdas/inference/testing/providers/anthropic/decoding.ts';
import { jsonOf as messageOf } from '../../lambdas/inference/testing/providers/anthropic/fixtures.ts';
import { framesOf, STREAMS } from '../../lambdas/inference/testing/providers/bedrock/frames.ts';
import { chunksOf, jsonOf } from '../../lambdas/inference/testing/providers/openai/fixtures.ts';
import {
  EVENTS,
  CANARY as OTHER_CANARY,
  RESPONSE,
} from '../../lambdas/inference/testing/providers/responses/fixtures.ts';
import { Fields, type Mutator, type Node, nodeOf, Raw, textOf } from './mutants.ts';
import type { FuzzRoute } from './running-service.ts';

/** It may be a field's name and an event's, so that no pattern alone keeps it back. */
export const CANARY = 'heronleak';

export type Protocol = ChatProtocol;

interface HostileResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The connection breaks behind the body. */
  readonly breaks: boolean;
}

/** A fixture with no word of its own: its parts may end up as content. */
function plain<T>(fixture: T): T {
  return JSON.parse(JSON.stringify(fixture).replaceAll(OTHER_CANARY, 'x'));
}

const COMPLETE_RESPONSES: Readonly<Record<Protocol, unknown>> = {
  openai: jsonOf('completion'),
  'openai-responses': plain(RESPONSE),
  anthropic: messageOf('message'),
  bedrock: {
    output: {
      message: {
        role: 'assistant',
        content: [{ text: 'Hi' }, { toolUse: { toolUseId: 't', name: 'f', input: { a: [1] } } }],
      },
    },
    stopReason: 'tool_use',
    usage: { inputTokens: 5, outputTokens: 6, totalTokens: 11 },
    metrics: { latencyMs: 5 },
  },
  gemini: {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Hm', thought: true },
            { text: 'Hi' },
            { functionCall: { name: 'f', args: { a: [1] } } },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 6, totalTokenCount: 11 },
  },
};

const STREAMED: Readonly<Record<Exclude<Protocol, 'bedrock'>, readonly (readonly unknown[])[]>> = {
  openai: [chunksOf('text'), chunksOf('parallel-tool-calls'), chunksOf('without-done')],
  'openai-responses': [plain(EVENTS)],
  anthropic: [
    [
      START,
      block(0, { type: 'thinking', thinking: '' }),
      change(0, { type: 'thinking_delta', thinking: 'Hm' }),
      closed(0),
      block(1, { type: 'text', text: '' }),
      change(1, { type: 'text_delta', text: 'Hi' }),
      closed(1),
      block(2, { type: 'tool_use', id: 't', name: 'f', input: {} }),
      change(2, { type: 'input_json_delta', partial_json: '{"a":1}' }),
      closed(2),
      FINAL_EVENT,
      STOP,
    ],
  ],
  gemini: [
    [
      { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] } }] },
      {
        candidates: [
          { content: { parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] }, finishReason: 'STOP' },
        ],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 6, totalTokenCount: 11 },
      },
    ],
  ],
};

/** The documents and events from which mutants are generated. */
export const CORPUS = [...Object.values(COMPLETE_RESPONSES), ...Object.values(STREAMED).flat(2)];

const field = (node: Node | undefined, name: string): Node | undefined =>
  node instanceof Fields ? node.entries.findLast(([key]) => key === name)?.[1] : undefined;

const items = (node: Node | undefined): readonly Node[] => (Array.isArray(node) ? node : []);

const VENDOR = new Fields([
  ['cost', new Raw('0.0421')],
  ['name', new Raw(JSON.stringify(CANARY))],
]);

/** Fields that vendors add, and some that none does yet. */
const VENDORS = [
  'provider',
  'x_groq',
  'system_fingerprint',
  'cost_details',
  'provider_specific_fields',
  'node',
  CANARY,
];

const KNOWN_EVENTS =
  /^"(message_start|content_block_start|content_block_delta|content_block_stop|message_delta|message_stop)"$/;
const KNOWN_BLOCKS = /^"(text|thinking|tool_use)"$/;
const KNOWN_DELTAS = /^"(text_delta|thinking_delta|input_json_delta)"$/;

/** Puts the word beside all that is content; an event or a block of a kind that nobody knows passes as it is. */
function insertCanary(node: Node, protocol: Protocol, mutator: Mutator): void {
  const isKind = (one: Node | undefined, kinds: RegExp) =>
    kinds.test(textOf(field(one, 'type') ?? new Raw('')));
  const isEvent = field(node, 'type') !== undefined && field(node, 'content') === undefined;
  if (protocol === 'anthropic' && isEvent && !isKind(node, KNOWN_EVENTS)) return;
  const message = field(node, 'message');
  const response = field(node, 'response');
  const blocks = [
    ...[field(node, 'content_block'), ...items(field(node, 'content'))].filter((one) =>
      isKind(one, KNOWN_BLOCKS),
    ),
    ...[field(node, 'delta')].filter((one) => isKind(one, KNOWN_DELTAS)),
  ];
  const choices = items(field(node, 'choices'));
  const containers =
    protocol === 'openai-responses'
      ? [response, field(response, 'usage'), field(node, 'item'), field(node, 'part')].concat(
          items(field(response ?? node, 'output')),
        )
      : protocol === 'anthropic'
        ? [message, field(message, 'usage'), ...blocks]
        : choices.flatMap((choice) => [choice, field(choice, 'message'), field(choice, 'delta')]);
  const usage = field(node, 'usage');
  for (const container of [node, usage, field(usage, 'prompt_tokens_details'), ...containers])
    if (container instanceof Fields) container.entries.push([mutator.pick(VENDORS), VENDOR]);
}

function spoil(value: unknown, protocol: Protocol, mutator: Mutator): string {
  const node = mutator.chance(0.6) ? nodeOf(value) : mutator.mutant(value);
  insertCanary(node, protocol, mutator);
  return textOf(node);
}

/** The events, now and then one of them lost, doubled or out of its place. */
function shuffled<T>(events: readonly T[], mutator: Mutator): T[] {
  const all = [...events];
  const at = Math.floor(all.length / 2);
  if (mutator.chance(0.3))
    mutator.pick([
      () => all.splice(at, 1),
      () => all.splice(at, 0, ...all.slice(0, 2)),
      () => all.push(...all.splice(at, 1)),
      () => all.reverse(),
      () => all.splice(at),
    ])();
  return all;
}

const ERRORS = (mutator: Mutator) => ({
  error: {
    type: mutator.pick([CANARY, 'invalid_request_error']),
    message: mutator.pick(
      SECRETS.flatMap((secret) => [secret, `messages.0.${CANARY}: at ${secret}\n\n${secret}`]),
    ),
    param: mutator.pick([CANARY, `messages.${CANARY}`, `${CANARY}[0]`]),
    code: CANARY,
  },
  message: mutator.pick(SECRETS),
});

/** Texts that an error may contain and no caller may see. Other plain words are shown to callers. */
const SECRETS = [
  `https://${CANARY}.example/v1`,
  `${CANARY}.internal:8080`,
  `sk-${CANARY}0123456789`,
  `arn:aws:iam::1:${CANARY}`,
  `${CANARY}@example.com`,
  `(${CANARY}-4-large-2026)`,
];

/** Text that ends a line, an event or a header, where a name is expected. */
const FORGERIES = [
  `a\n\nevent: message_stop\ndata: {"type":"message_stop"}`,
  `${CANARY} x`,
  'A',
  'a\r\n',
  '',
  'x'.repeat(65),
];

function bodyOf(protocol: Protocol, stream: boolean, mutator: Mutator): Uint8Array {
  if (!stream) return Buffer.from(spoil(COMPLETE_RESPONSES[protocol], protocol, mutator));
  if (protocol === 'bedrock') {
    const events = shuffled(mutator.pick(Object.values(STREAMS)), mutator);
    return framesOf(events.map(([type, payload]) => [type, spoil(payload, protocol, mutator)]));
  }
  const events = shuffled(mutator.pick(STREAMED[protocol]), mutator).map((event) =>
    spoil(event, protocol, mutator),
  );
  const forged = JSON.stringify({ type: mutator.pick(FORGERIES), choices: [] });
  if (mutator.chance(0.1)) events.splice(2, 0, forged);
  const noise = mutator.chance(0.2) ? `: ${CANARY}\nid: ${CANARY}\nretry: 1\n` : '';
  const end = protocol === 'openai' && mutator.chance(0.9) ? 'data: [DONE]\n\n' : '';
  return Buffer.from(`${events.map((data) => `event: ${CANARY}\n${noise}data: ${data}\n\n`).join('')}${end}`);
}

export function hostileResponseOf(protocol: Protocol, stream: boolean, mutator: Mutator): HostileResponse {
  const type = protocol === 'bedrock' ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
  const headers = {
    'content-type': stream ? type : 'application/json',
    'x-request-id': CANARY,
    server: CANARY,
    'x-cost-usd': `9${CANARY}`,
    'x-route': CANARY,
    via: CANARY,
  };
  if (mutator.chance(0.1)) {
    const body = new Uint8Array(Buffer.from(JSON.stringify(ERRORS(mutator))));
    const status = mutator.pick([400, 401, 403, 404, 413, 422, 429, 500, 503]);
    const retry = {
      'retry-after': mutator.pick(['7', CANARY, '-1', '1e9']),
      'content-type': 'application/json',
    };
    return { status, headers: { ...headers, ...retry }, body, breaks: false };
  }
  const body = new Uint8Array(bodyOf(protocol, stream, mutator));
  const cut = mutator.chance(0.05) ? body.slice(0, Math.floor(body.length / 2)) : body;
  return { status: 200, headers, body: cut, breaks: mutator.chance(0.03) };
}

/** A way on which every call meets the answer that was laid there last. */
export class HostileRoute implements FuzzRoute {
  next: HostileResponse = { status: 500, headers: {}, body: new Uint8Array(), breaks: false };
  #client: BedrockRuntimeClient | undefined;

  async *#bytes(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    const { body, breaks } = this.next;
    yield body;
    if (breaks) throw new Error(CANARY);
  }

  readonly fetch: typeof globalThis.fetch = async () => {
    const { status, headers } = this.next;
    return new Response(ReadableStream.from(this.#bytes()), { status, headers });
  };

  bedrockClient(): BedrockRuntimeClient {
    this.#client ??= new BedrockRuntimeClient({
      endpoint: 'http://bedrock.test',
      region: 'us-east-1',
      credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'test' },
      maxAttempts: 1,
      requestHandler: {
        handle: async () => {
          const { status: statusCode, headers } = this.next;
          return {
            response: { statusCode, headers, body: Readable.from(this.#bytes(), { objectMode: false }) },
          };
        },
      },
    });
    return this.#client;
  }
}
