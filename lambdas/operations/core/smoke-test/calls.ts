/** The calls of a smoke test: each the smallest that a provider answers, each answer looked at as far as its format goes. */
import * as z from 'zod';
import type { Model } from '../../../inference/core/catalog/catalog-document.ts';
import type { Kind } from '../../../platform/core/kinds.ts';
import { type Check, type CheckDetails, CheckSkip, expectThat } from './check.ts';
import { errorOf, type SmokeAnswer, type SmokeClient } from './client.ts';
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

/** Throws when the answer has not that shape. */
function shaped<T>(schema: z.ZodType<T>, { json }: SmokeAnswer): T {
  const read = schema.safeParse(json);
  const [issue] = read.error?.issues ?? [];
  expectThat(read.success, `the answer lacks ${issue?.path.join('.') || 'its body'}: ${issue?.message}`);
  return read.data;
}

const served = ({ headers }: SmokeAnswer): CheckDetails => ({ route: headers.get('x-route') ?? undefined });

/** A call that is answered with JSON of a shape. */
const asking =
  (client: SmokeClient, path: string, schema: z.ZodType, body: object): Check['run'] =>
  async () => {
    const answer = await client.inference(path, { json: body });
    shaped(schema, answer);
    return served(answer);
  };

const bounded = (model: Model) => ({ model: model.id, messages, max_tokens: OUTPUT_TOKENS });

/** A stream that ends well has at least one piece of an answer, no error, and the mark of its end. */
const streaming =
  (client: SmokeClient, model: Model): Check['run'] =>
  async () => {
    if (!model.routes.some(({ capabilities }) => capabilities.includes('stream')))
      throw new CheckSkip('no route of this model streams');
    const answer = await client.inference('/v1/chat/completions', {
      json: { ...bounded(model), stream: true, stream_options: { include_usage: true } },
    });
    const events = [...answer.text.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data.trim());
    const failure = events.map(errorOf).find((each) => each !== undefined);
    if (failure !== undefined) throw failure;
    expectThat(events.length > 1, 'the stream has no events');
    expectThat(events.at(-1) === '[DONE]', 'the stream does not end with [DONE]');
    return { ...served(answer), note: `${events.length} events` };
  };

const speaking =
  (client: SmokeClient, model: Model): Check['run'] =>
  async () => {
    const voice = model.default_voice ?? model.voices?.[0] ?? 'alloy';
    const answer = await client.inference('/v1/audio/speech', {
      json: { model: model.id, voice, input: WORDS },
    });
    expectThat(answer.bytes.length > 0, 'the answer has no sound');
    return { ...served(answer), note: `${answer.bytes.length} bytes` };
  };

const transcribing =
  (client: SmokeClient, model: Model): Check['run'] =>
  async () => {
    const form = new FormData();
    form.set('model', model.id);
    form.set('file', new Blob([recording()], { type: 'audio/wav' }), 'tone.wav');
    const answer = await client.inference('/v1/audio/transcriptions', { form });
    shaped(SHAPES.transcription, answer);
    return served(answer);
  };

const chatChecks = (client: SmokeClient, model: Model): readonly Omit<Check, 'model'>[] => [
  { name: 'chat', run: asking(client, '/v1/chat/completions', SHAPES.chat, bounded(model)) },
  { name: 'chat stream', run: streaming(client, model) },
  { name: 'messages', run: asking(client, '/v1/messages', SHAPES.messages, bounded(model)) },
  {
    name: 'responses',
    run: asking(client, '/v1/responses', SHAPES.responses, {
      model: model.id,
      input: QUESTION,
      max_output_tokens: OUTPUT_TOKENS,
      store: false,
    }),
  },
  {
    name: 'count tokens',
    run: asking(client, '/v1/messages/count_tokens', SHAPES.count, { model: model.id, messages }),
  },
];

const CHECKS: Readonly<Record<Kind, (client: SmokeClient, model: Model) => readonly Omit<Check, 'model'>[]>> =
  {
    chat: chatChecks,
    embeddings: (client, { id }) => [
      {
        name: 'embeddings',
        run: asking(client, '/v1/embeddings', SHAPES.embeddings, { model: id, input: WORDS }),
      },
    ],
    image: (client, { id }) => [
      {
        name: 'image',
        run: asking(client, '/v1/images/generations', SHAPES.image, { model: id, prompt: WORDS }),
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

/** One call of each way in which an answer is delivered: what a schedule makes of a model. */
const FEWEST: readonly string[] = ['chat', 'chat stream', 'embeddings', 'image', 'speech', 'transcription'];

/** Those of the checks of a model that a schedule makes. */
export const fewestChecksOf = (client: SmokeClient, choice: Choice): readonly Check[] =>
  checksOf(client, choice).filter(({ name }) => FEWEST.includes(name));

/** The checks of a model, or the one that says why its kind is passed over. */
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
    const missing = ids.filter((wanted) => !data.some(({ id }) => id === wanted));
    expectThat(missing.length === 0, `the list lacks ${missing.join(', ')}`);
    return { note: `${data.length} models` };
  },
});

export const healthCheck = (client: SmokeClient): Check => ({
  name: 'health',
  async run() {
    await client.platform('/health');
    return {};
  },
});
