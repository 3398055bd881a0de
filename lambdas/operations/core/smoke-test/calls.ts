/** The calls of a smoke test: each the smallest that a provider accepts, with its response checked up to its format. */
import * as z from 'zod';
import type { Model } from '../../../inference/core/catalog/catalog-document.ts';
import type { Kind } from '../../../platform/core/kinds.ts';
import { type Check, type CheckDetails, CheckSkip, expectThat } from './check.ts';
import { errorOf, type SmokeClient, type SmokeResponse } from './client.ts';
import { type Choice, OUTPUT_TOKENS, WORDS } from './plan.ts';
import { recording } from './recording.ts';

const QUESTION = 'Say hello in one word.';
const messages = [{ role: 'user', content: QUESTION }];

const tokens = z.int().min(1);

const SHAPES = {
  chat: z.object({
    choices: z.array(z.object({ message: z.object({ role: z.literal('assistant') }) })).min(1),
    usage: z.object({ completion_tokens: tokens }),
  }),
  messages: z.object({
    type: z.literal('message'),
    content: z.array(z.object({ type: z.string() })),
    usage: z.object({ output_tokens: tokens }),
  }),
  responses: z.object({
    object: z.literal('response'),
    output: z.array(z.object({ type: z.string() })),
    usage: z.object({ output_tokens: tokens }),
  }),
  embeddings: z.object({ data: z.array(z.object({ embedding: z.array(z.number()).min(1) })).length(1) }),
  image: z.object({
    data: z
      .array(z.union([z.object({ b64_json: z.string().min(1) }), z.object({ url: z.string().min(1) })]))
      .length(1),
  }),
  transcription: z.object({ text: z.string() }),
  count: z.object({ input_tokens: tokens }),
  models: z.object({ data: z.array(z.object({ id: z.string() })) }),
} as const;

/** Throws if the response does not have that shape. */
function shaped<T>(schema: z.ZodType<T>, { json }: SmokeResponse): T {
  const read = schema.safeParse(json);
  const [issue] = read.error?.issues ?? [];
  expectThat(read.success, `the response lacks ${issue?.path.join('.') || 'its body'}: ${issue?.message}`);
  return read.data;
}

const routeDetailsOf = ({ headers }: SmokeResponse): CheckDetails => ({
  route: headers.get('x-route') ?? undefined,
});

/** Creates a call whose response is JSON of a given shape. */
const requesting =
  (client: SmokeClient, path: string, schema: z.ZodType, body: object): Check['run'] =>
  async () => {
    const response = await client.inference(path, { json: body });
    shaped(schema, response);
    return routeDetailsOf(response);
  };

const bounded = (model: Model) => ({ model: model.id, messages, max_tokens: OUTPUT_TOKENS });

/** Creates a streaming call. A valid stream has at least one output event, no error, and its end event. */
const streaming =
  (client: SmokeClient, model: Model): Check['run'] =>
  async () => {
    if (!model.routes.some(({ capabilities }) => capabilities.includes('stream')))
      throw new CheckSkip('no route of this model streams');
    const response = await client.inference('/v1/chat/completions', {
      json: { ...bounded(model), stream: true, stream_options: { include_usage: true } },
    });
    const events = [...response.text.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data.trim());
    const failure = events.map(errorOf).find((each) => each !== undefined);
    if (failure !== undefined) throw failure;
    expectThat(events.length > 1, 'the stream has no events');
    expectThat(events.at(-1) === '[DONE]', 'the stream does not end with [DONE]');
    return { ...routeDetailsOf(response), note: `${events.length} events` };
  };

const speaking =
  (client: SmokeClient, model: Model): Check['run'] =>
  async () => {
    const voice = model.default_voice ?? model.voices?.[0] ?? 'alloy';
    const response = await client.inference('/v1/audio/speech', {
      json: { model: model.id, voice, input: WORDS },
    });
    expectThat(response.bytes.length > 0, 'the response has no audio');
    return { ...routeDetailsOf(response), note: `${response.bytes.length} bytes` };
  };

/** A batch job of Amazon Transcribe takes 15 s for a few seconds of sound, and at times several times as long. */
const TRANSCRIPTION_MS = 90_000;

const transcribing =
  (client: SmokeClient, model: Model): Check['run'] =>
  async () => {
    const form = new FormData();
    form.set('model', model.id);
    // A provider cannot identify the language of a tone.
    form.set('language', 'en');
    form.set('file', new Blob([recording()], { type: 'audio/wav' }), 'tone.wav');
    const response = await client.inference('/v1/audio/transcriptions', {
      form,
      minTimeoutMs: TRANSCRIPTION_MS,
    });
    shaped(SHAPES.transcription, response);
    return routeDetailsOf(response);
  };

const chatChecks = (client: SmokeClient, model: Model): readonly Omit<Check, 'model'>[] => [
  { name: 'chat', run: requesting(client, '/v1/chat/completions', SHAPES.chat, bounded(model)) },
  { name: 'chat stream', run: streaming(client, model) },
  { name: 'messages', run: requesting(client, '/v1/messages', SHAPES.messages, bounded(model)) },
  {
    name: 'responses',
    run: requesting(client, '/v1/responses', SHAPES.responses, {
      model: model.id,
      input: QUESTION,
      max_output_tokens: OUTPUT_TOKENS,
      store: false,
    }),
  },
  {
    name: 'count tokens',
    run: requesting(client, '/v1/messages/count_tokens', SHAPES.count, { model: model.id, messages }),
  },
];

const CHECKS: Readonly<Record<Kind, (client: SmokeClient, model: Model) => readonly Omit<Check, 'model'>[]>> =
  {
    chat: chatChecks,
    embeddings: (client, { id }) => [
      {
        name: 'embeddings',
        run: requesting(client, '/v1/embeddings', SHAPES.embeddings, { model: id, input: WORDS }),
      },
    ],
    image: (client, { id }) => [
      {
        name: 'image',
        run: requesting(client, '/v1/images/generations', SHAPES.image, { model: id, prompt: WORDS }),
      },
    ],
    tts: (client, model) => [{ name: 'speech', run: speaking(client, model) }],
    audio: (client, model) => [{ name: 'transcription', run: transcribing(client, model) }],
  };

const NAMES: Readonly<Record<Kind, string>> = {
  chat: 'chat',
  embeddings: 'embeddings',
  image: 'image',
  tts: 'speech',
  audio: 'transcription',
};

/** One call for each type of response delivery: the calls that a scheduled run sends to a model. */
const SCHEDULED_CHECKS: readonly string[] = [
  'chat',
  'chat stream',
  'embeddings',
  'image',
  'speech',
  'transcription',
];

/** Those of the checks of a model that a schedule makes. */
export const scheduledChecksOf = (client: SmokeClient, choice: Choice): readonly Check[] =>
  checksOf(client, choice).filter(({ name }) => SCHEDULED_CHECKS.includes(name));

/** Returns the checks of a model, or the one that explains why its kind is skipped. */
export function checksOf(client: SmokeClient, choice: Choice): readonly Check[] {
  const { kind, model } = choice;
  if (model !== undefined) return CHECKS[kind](client, model).map((check) => ({ ...check, model: model.id }));
  const { reason } = choice;
  return [
    {
      name: NAMES[kind],
      async run() {
        throw new CheckSkip(reason);
      },
    },
  ];
}

/** `GET /v1/models` names every model that is called. */
export const modelsCheck = (client: SmokeClient, ids: readonly string[]): Check => ({
  name: 'models',
  async run() {
    const { data } = shaped(SHAPES.models, await client.inference('/v1/models'));
    const missing = ids.filter((expectedId) => !data.some(({ id }) => id === expectedId));
    expectThat(missing.length === 0, `the list lacks ${missing.join(', ')}`);
    return { note: `${data.length} names of models, with aliases` };
  },
});

export const healthCheck = (client: SmokeClient): Check => ({
  name: 'health',
  async run() {
    await client.platform('/health');
    return {};
  },
});
