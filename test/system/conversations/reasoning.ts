/** Models that think, over every API format: their providers' rules are kept, also when a conversation changes its model. */
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../lambdas/platform/core/json/lossless-json.ts';
import { offsets } from '../../../tools/test-kit/thorough.ts';
import { Payer } from '../payer.ts';
import { service } from './service.ts';

/** Each on a route whose server has its vendor's rules about reasoning and its proofs. */
const MODELS = [
  'sim/reasoner-openai',
  'sim/reasoner-gemini',
  'sim/chat-gemini',
  'sim/reasoner-anthropic',
  'sim/reasoner-bedrock',
  'sim/reasoner-responses',
];

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const MAX_TOKENS = 4_000;

interface AssistantTurn {
  readonly reasoning: string;
  readonly text: string;
  /** The id of the tool call. */
  readonly call: string | undefined;
}

/** A conversation whose caller sends back what it got, as it got it. */
interface Talk {
  ask(text: string): void;
  /** Gives the result of a tool call. */
  give(call: string, result: string): void;
  body(model: string): readonly [path: string, body: JsonObject];
  /** Reads an answer and goes on with it. */
  hear(response: JsonObject): AssistantTurn;
}

type List = JsonObject[];
const list = (value: unknown): List => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const joined = (parts: List, field: string): string => parts.map((part) => textOf(part[field])).join('');

class ChatTalk implements Talk {
  readonly #messages: List = [];

  ask(text: string) {
    this.#messages.push({ role: 'user', content: text });
  }

  give(call: string, result: string) {
    this.#messages.push({ role: 'tool', tool_call_id: call, content: result });
  }

  body(model: string) {
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
    const body = { messages: this.#messages, tools, max_tokens: MAX_TOKENS, reasoning_effort: 'high' };
    return ['/v1/chat/completions', { model, ...body }] as const;
  }

  hear({ choices }: JsonObject): AssistantTurn {
    const [choice] = list(choices);
    const message = Object(choice?.message) as JsonObject;
    this.#messages.push(message);
    const [call] = list(message.tool_calls);
    return {
      reasoning: textOf(message.reasoning_content),
      text: textOf(message.content),
      call: call === undefined ? undefined : textOf(call.id),
    };
  }
}

class MessagesTalk implements Talk {
  readonly #messages: List = [];

  ask(text: string) {
    this.#messages.push({ role: 'user', content: text });
  }

  give(call: string, result: string) {
    const content = [{ type: 'tool_result', tool_use_id: call, content: result }];
    this.#messages.push({ role: 'user', content });
  }

  body(model: string) {
    const tools = [{ name: 'get_weather', input_schema: parameters }];
    const thinking = { type: 'enabled', budget_tokens: 2_000 };
    return [
      '/v1/messages',
      { model, messages: this.#messages, tools, max_tokens: MAX_TOKENS, thinking },
    ] as const;
  }

  hear({ content }: JsonObject): AssistantTurn {
    const blocks = list(content);
    this.#messages.push({ role: 'assistant', content: blocks });
    const call = blocks.find(({ type }) => type === 'tool_use');
    return {
      reasoning: joined(blocks, 'thinking'),
      text: joined(blocks, 'text'),
      call: call === undefined ? undefined : textOf(call.id),
    };
  }
}

/** `whole`: items are sent back with what is sealed in them; `referred`: by their ids, as clients of stored items do. */
class ResponsesTalk implements Talk {
  readonly #isStateless: boolean;
  readonly #input: List = [];

  constructor(mode: 'whole' | 'referred') {
    this.#isStateless = mode === 'whole';
  }

  ask(text: string) {
    this.#input.push({ role: 'user', content: text });
  }

  give(call: string, result: string) {
    this.#input.push({ type: 'function_call_output', call_id: call, output: result });
  }

  body(model: string) {
    const tools = [{ type: 'function', name: 'get_weather', parameters, strict: false }];
    const state = this.#isStateless ? { store: false } : {};
    const body = {
      input: this.#input,
      tools,
      max_output_tokens: MAX_TOKENS,
      reasoning: { effort: 'high', summary: 'auto' },
    };
    return ['/v1/responses', { model, ...body, ...state }] as const;
  }

  hear({ output }: JsonObject): AssistantTurn {
    const items = list(output);
    for (const item of items) {
      const isReferred = !this.#isStateless && item.type !== 'function_call';
      this.#input.push(isReferred ? { type: 'item_reference', id: item.id } : item);
    }
    const call = items.find(({ type }) => type === 'function_call');
    const joinedTexts = (field: string) => items.map((item) => joined(list(item[field]), 'text')).join('');
    return {
      reasoning: joinedTexts('summary'),
      text: joinedTexts('content'),
      call: call === undefined ? undefined : textOf(call.call_id),
    };
  }
}

const TALKS: readonly [string, () => Talk][] = [
  ['chat', () => new ChatTalk()],
  ['Messages', () => new MessagesTalk()],
  ['Responses, items sent back whole', () => new ResponsesTalk('whole')],
  ['Responses, items sent back by their ids', () => new ResponsesTalk('referred')],
];

const CALL = 'call get_weather {"city":"Łódź"}';

describe('reasoning', () => {
  const payer = Payer.ofTests(service, '50');

  async function lastMessage(talk: Talk, model: string): Promise<AssistantTurn> {
    const [path, body] = talk.body(model);
    const response = await payer.post(path, body);
    const text = await response.text();
    expect(`${model} ${response.status} ${response.status === 200 ? '' : text}`).toBe(`${model} 200 `);
    // What a provider proves its model's reasoning by is sealed.
    expect(text).not.toMatch(/"(?:signature|data|encrypted_content|thought_signature)":"(?!uis1|")/);
    return talk.hear(JSON.parse(text));
  }

  it.each(TALKS)('goes back with the result of a tool, as its provider wants it: %s', async (_, open) => {
    for (const model of MODELS) {
      const talk = open();
      talk.ask(CALL);
      const { call, reasoning } = await lastMessage(talk, model);
      if (model !== 'sim/reasoner-gemini') expect(`${model}: ${reasoning}`).toMatch(/: .+/s);
      talk.give(call ?? '', '21 °C and sunny');
      expect((await lastMessage(talk, model)).text).toContain('21 °C');
      talk.ask('Thank you.');
      expect((await lastMessage(talk, model)).text).not.toBe('');
    }
  });

  /** A plain run begins with two of the six models, which the seed decides; `THOROUGH=3` begins with each. */
  it.each(TALKS)('lets a conversation change its model, in the middle of a turn too: %s', async (_, open) => {
    for (const at of offsets(0, MODELS.length - 1, 3)) {
      const [first = ''] = MODELS.slice(at);
      const talk = open();
      for (const model of [first, ...MODELS.slice(at + 1), ...MODELS.slice(0, at), first]) {
        talk.ask(CALL);
        const { call } = await lastMessage(talk, model);
        talk.give(call ?? '', '21 °C and sunny');
        const next = MODELS[(MODELS.indexOf(model) + 1 + at) % MODELS.length] ?? first;
        expect((await lastMessage(talk, next)).text).not.toBe('');
      }
    }
  });

  it('leaves nothing with a provider that stores responses', async () => {
    const response = await fetch(`${service.session.upstream_control_url}/kept-responses`);
    expect(await response.json()).toEqual({ count: 0 });
  });
});
