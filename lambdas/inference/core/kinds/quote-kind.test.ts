import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { candidateOf } from '../../testing/catalog/models.ts';
import { scopeOf } from '../../testing/fields/schemas/declarations.ts';
import { PACKAGES } from '../../testing/fields/schemas/published.ts';
import { fieldsOf } from '../../testing/fields/schemas/request-fields.ts';
import type { FieldTable } from '../fields/table.ts';
import { patternsOf } from '../fields/table.ts';
import { NO_CONTROLS, type RouteControls } from '../routing/route-controls.ts';
import { embeddings } from './embeddings/embeddings.ts';
import { images } from './images/images.ts';
import { quoteKind } from './quote-kind.ts';
import { speech } from './speech/speech.ts';
import { TRANSCRIPTION_FIELDS } from './transcriptions/schema.ts';

/** Each table, the type of the SDK that publishes its fields, and those that the service itself reads. */
const PUBLISHED: readonly (readonly [file: string, type: string, own: readonly string[], FieldTable])[] = [
  ['embeddings.d.ts', 'EmbeddingCreateParams', ['model'], embeddings.fields],
  ['images.d.ts', 'ImageGenerateParamsBase', ['model'], images.fields],
  ['audio/speech.d.ts', 'SpeechCreateParams', ['model'], speech.fields],
  [
    'audio/transcriptions.d.ts',
    'TranscriptionCreateParamsBase',
    ['file', 'model', 'response_format', 'stream'],
    TRANSCRIPTION_FIELDS,
  ],
];

describe('the published schema of a kind', () => {
  it.each(PUBLISHED)('contains the fields of the table and no others: %s', (file, type, own, table) => {
    const scope = scopeOf(join(PACKAGES, 'openai/resources', file));
    const names = new Set(fieldsOf(scope, type).map(({ path }) => path.split(/[.[]/)[0] ?? ''));
    const rules = table.rules.filter(({ vendors }) => vendors === undefined);
    expect([...names].sort()).toEqual([...rules.flatMap(patternsOf), ...own].sort());
  });
});

const IMAGE = { prompt: 'a fox', n: 1, size: '1024x1024' };
const PRICE = { unit: 'per_image', image: 0.04 };

function quoteImage(
  fields: JsonObject,
  routes: readonly object[] = [{}],
  controls: Partial<RouteControls> = {},
) {
  const { model } = candidateOf({
    type: 'image',
    price: PRICE,
    routes: routes.map((route, index) => ({ id: `r${index}`, priority: index, ...route })),
  });
  const quote = quoteKind({
    kind: 'image',
    model,
    fields: images.fields,
    request: { ...IMAGE, ...fields },
    controls: { ...NO_CONTROLS, ...controls },
    chance: () => 0.5,
    estimate: () => ({ tokens: 0, amount: 1n }),
  });
  return { ...quote, sent: model.routes.map((route) => quote.bodyOn(route)) };
}

/** Fields of image hosts that the protocol does not have, in other places and spellings too. */
const UNDOCUMENTED = {
  width: 4_096,
  height: 4_096,
  steps: 150,
  num_images: 10,
  N: 4,
  extra_body: [{ n: 4 }],
  'provider.n': 4,
};

describe('an undocumented field of an image', () => {
  it('stays with the routes that do not list it, and is named', () => {
    const { sent, headers } = quoteImage(UNDOCUMENTED);
    expect(sent).toEqual([IMAGE]);
    expect(decodeURIComponent(headers['x-ignored-fields'] ?? '')).toBe(
      'width,height,steps,num_images,N,extra_body,"provider.n"',
    );
  });

  it('goes to the routes that list it, and is named for the others', () => {
    const passes = { passes: ['steps', 'width'] };
    const { sent, body, headers } = quoteImage({ steps: 30, width: 512 }, [{}, passes]);
    expect(sent).toEqual([IMAGE, { ...IMAGE, steps: 30, width: 512 }]);
    expect(body).toEqual({ ...IMAGE, steps: 30, width: 512 });
    expect(headers).toEqual({ 'x-ignored-fields': 'steps,width' });
    expect(quoteImage({ steps: 30 }, [passes]).headers).toEqual({});
  });

  it('causes an error if the caller requires all fields and no route lists it', () => {
    const required = { require_parameters: true };
    expect(() => quoteImage({ steps: 30 }, [{}], required)).toThrow(
      expect.objectContaining({
        code: 'unsupported_by_model',
        message: expect.stringContaining('steps'),
        param: 'provider.require_parameters',
      }),
    );
    const { quote } = quoteImage({ steps: 30 }, [{}, { passes: ['steps'] }], required);
    expect(quote.candidates.map(({ route }) => route.id)).toEqual(['r1']);
  });
});

describe('a documented field of an image', () => {
  it.each([
    ['frame_count', 16],
    ['svg', { model: 'gpt-5' }],
    ['complexity', 'high'],
    ['partial_images', 3],
    ['output_format', 'gif'],
  ])('causes an error if it costs more than the image: %s', (name, value) => {
    expect(() => quoteImage({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'unpriced_feature', param: name }),
    );
  });

  it('appears among the ignored fields if the protocol of the route does not have it', () => {
    const bedrock = {
      protocol: 'bedrock',
      base_url: undefined,
      upstream_model: 'stability.stable-image-core-v1:1',
    };
    const { sent, headers } = quoteImage({ seed: 3, user: 'u', steps: 30 }, [bedrock]);
    expect(sent).toMatchObject([{ seed: 3 }]);
    expect(headers).toEqual({ 'x-ignored-fields': 'steps,user' });
  });
});
