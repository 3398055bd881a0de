import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { offsets } from '../../../tools/test-kit/thorough.ts';
import { describedFetch } from '../described-answers.ts';
import { aiClient } from './matrix/ai-client.ts';
import { anthropicClient } from './matrix/anthropic-client.ts';
import { openAiClient } from './matrix/openai-client.ts';
import { responsesClient } from './matrix/responses-client.ts';
import { CLOCK, type Client, PNG, SENTENCE, WEATHER } from './matrix/scenarios.ts';
import { service } from './service.ts';

/** One model for each protocol of a route. */
const MODELS = {
  openai: 'sim/chat',
  'openai, signed': 'sim/chat-signed',
  'openai, Azure': 'sim/chat-azure',
  anthropic: 'sim/chat-anthropic',
  'anthropic, signed': 'sim/messages-signed',
  bedrock: 'sim/chat-bedrock',
  gemini: 'sim/chat-gemini',
  'openai-responses': 'sim/responses',
};

/**
 * They differ from the protocol of their name in address and credential alone, which
 * `lambdas/inference/providers/authorization.test.ts` holds to each vendor's rules: what they carry is tried whole and streamed.
 */
const VARIANTS: ReadonlySet<string> = new Set(['openai, signed', 'openai, Azure', 'anthropic, signed']);
const OF_VARIANTS: ReadonlySet<string> = new Set([
  'answers with the exact text',
  'streams the exact text',
  'streams parallel tool calls',
  'runs tools to the end',
]);

const CLIENTS = [
  'openai',
  'anthropic',
  'ai on chat',
  'ai on messages',
  'openai on responses',
  'ai on responses',
] as const;

let clients: Readonly<Record<(typeof CLIENTS)[number], Client>>;

beforeAll(async () => {
  const { base_url } = service.session;
  const { key: apiKey } = await service.account('50');
  const baseURL = `${base_url}/v1`;
  clients = {
    openai: openAiClient(service.openai(apiKey)),
    anthropic: anthropicClient(service.anthropic(apiKey)),
    'ai on chat': aiClient(createOpenAI({ baseURL, apiKey, fetch: describedFetch }).chat),
    'openai on responses': responsesClient(service.openai(apiKey)),
    'ai on responses': aiClient(createOpenAI({ baseURL, apiKey, fetch: describedFetch })),
    'ai on messages': aiClient(createAnthropic({ baseURL, apiKey, fetch: describedFetch })),
  };
});

type Scenario = (client: Client, model: string) => Promise<void>;

async function sendRequest(client: Client, model: string, stream: boolean) {
  const options = { stream, system: 'Be exact.' };
  const { text, finish, input, output } = await client.ask(model, `Repeat exactly: ${SENTENCE}`, options);
  expect(text).toBe(SENTENCE);
  expect(finish).toBe('stop');
  expect(input).toBeGreaterThan(0);
  expect(output).toBeGreaterThan(0);
}

async function callsInParallel(client: Client, model: string, stream: boolean) {
  const prompt = `Use ${WEATHER.name} for Oslo, and ${CLOCK.name}.`;
  const { calls, finish } = await client.call(model, prompt, { stream });
  expect(calls).toEqual([
    { name: WEATHER.name, input: { city: expect.any(String), unit: expect.stringMatching(/^[cf]$/) } },
    { name: CLOCK.name, input: {} },
  ]);
  expect(finish).toBe('calls');
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'answers with the exact text': (client, model) => sendRequest(client, model, false),
  'streams the exact text': (client, model) => sendRequest(client, model, true),
  'calls tools in parallel, one without parameters': (client, model) => callsInParallel(client, model, false),
  'streams parallel tool calls': (client, model) => callsInParallel(client, model, true),
  'calls a forced tool': async (client, model) => {
    const { calls } = await client.call(model, 'Hello.', { force: true });
    expect(calls.map(({ name }) => name)).toEqual([WEATHER.name]);
  },
  'runs tools to the end': async (client, model) => {
    const prompt = `Use ${WEATHER.name} for Oslo, and ${CLOCK.name}.`;
    const { text, ran } = await client.runTools(model, prompt, 'minus 7 degrees');
    expect([...ran].sort()).toEqual([CLOCK.name, WEATHER.name]);
    expect(text).toContain('noon');
  },
  'gets an object of its schema': async (client, model) => {
    expect(await client.person(model)).toEqual({ name: expect.any(String), age: expect.any(Number) });
  },
  'shows an image': async (client, model) => {
    expect((await client.ask(model, 'What is this?', { image: PNG })).text).toMatch(/image/i);
  },
  'stops at a sequence': async (client, model) => {
    const { text, finish } = await client.ask(model, 'Repeat exactly: one two three', { stop: ' two' });
    expect(text).toBe('one');
    expect(finish).toBe('stop');
  },
  'stops at its output bound': async (client, model) => {
    const { finish, output } = await client.ask(model, 'write 500 words', {
      // The least that OpenAI takes (API reference, Create a model response, `max_output_tokens`).
      maxTokens: 16,
      stream: true,
    });
    expect(finish).toBe('length');
    expect(output).toBe(16);
  },
};

describe('clients and route protocols', () => {
  /** Requests of the Responses API have no stop sequences, neither a client's nor a route's. */
  const scenariosOf = (client: string, protocol: string) =>
    Object.keys(SCENARIOS).filter(
      (name) =>
        (!VARIANTS.has(protocol) || OF_VARIANTS.has(name)) &&
        (name !== 'stops at a sequence' || ![client, protocol].some((each) => each.endsWith('responses'))),
    );
  /** A plain run tries a third: each scenario of each client, and of each protocol. `THOROUGH=3` tries all. */
  const turns = [...offsets(0, 2, 3)];
  const isAttempted = (...indexes: readonly number[]) =>
    turns.includes(indexes.reduce((sum, index) => sum + index, 0) % 3);
  const cases = CLIENTS.flatMap((client, first) =>
    Object.keys(MODELS).flatMap((protocol, second) =>
      scenariosOf(client, protocol)
        .filter((scenario) => isAttempted(first, second, Object.keys(SCENARIOS).indexOf(scenario)))
        .map((scenario) => [client, protocol, scenario] as const),
    ),
  );

  it.each(cases)('%s over %s %s', async (client, protocol, scenario) => {
    const [model, run] = [MODELS[protocol as keyof typeof MODELS], SCENARIOS[scenario]];
    if (run === undefined) throw new Error(`there is no scenario ${scenario}`);
    await run(clients[client], model);
  });
});
