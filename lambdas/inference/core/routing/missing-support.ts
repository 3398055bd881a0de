/** The errors for a request that no route can serve: each says what is missing, on which model, and what to do. */
import { ServiceError } from '../../../platform/core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Model } from '../catalog/catalog-document.ts';
import { type Feature, isPriced, type Need } from '../fields/need.ts';

/** The first need that a route of the model does not meet. */
export interface UnmetNeed {
  readonly model: Pick<Model, 'id'>;
  readonly need: Need;
}

/** Returns the error of a request that meets one of these needs on each route: a missing price if there is one. */
export function missingSupport(unmetNeeds: readonly UnmetNeed[], body: JsonObject): ServiceError {
  const unpriced = unmetNeeds.find(({ need }) => isPriced(need));
  if (unpriced !== undefined) {
    const { model, need } = unpriced;
    const subject = subjectOf(need, body);
    const advice =
      need.kind === 'unpriced'
        ? 'Leave it out'
        : 'Leave it out, or choose a model with a price for it (GET /api/v1/models)';
    return new ServiceError(
      'unpriced_feature',
      `${need.param}: ${model.id} has no price for ${subject}. ${advice}.`,
      { param: need.param },
    );
  }
  const models = [...new Set(unmetNeeds.map(({ model }) => model.id))].join(', ');
  const subjects = [...new Set(unmetNeeds.map(({ need }) => subjectOf(need, body)))].join(', ');
  return new ServiceError(
    'unsupported_by_model',
    `No route of ${models} supports ${subjects}. Leave it out, or choose another model.`,
    { param: 'model' },
  );
}

/** Descriptions of the features for callers. */
const DESCRIPTIONS: Readonly<Record<Feature, string>> = {
  choices: 'n above 1',
  'image-urls': 'images by URL',
  documents: 'PDF documents',
  'document-urls': 'documents by URL',
  audio: 'audio in messages',
  'stop-sequences': 'stop sequences',
  'blank-turns': 'a last turn without visible text',
  'messages-blocks': 'this kind of content block or tool',
  'responses-items': 'this kind of item or tool',
};

/** The path of a tool, or of its type. */
const TOOL = /tools\[\d+\](\.type)?$/;

/** A value that is short enough to repeat, and cannot be a text of the prompt. */
const WORD = /^[\w.:-]{1,64}$/;

/** Returns what a need is about, in the caller's words if it has one for it. */
function subjectOf(need: Need, body: JsonObject): string {
  if (need.kind === 'feature' && need.of !== undefined) return need.of;
  const value = valueAt(body, need.param);
  const word = isJsonObject(value) ? value.type : value;
  if (typeof word === 'string' && WORD.test(word)) {
    if (TOOL.test(need.param)) return `the tool ${word}`;
    if (isPriced(need)) return `the value ${word}`;
  }
  if (need.kind === 'capability') return need.name;
  return need.kind === 'feature' ? DESCRIPTIONS[need.name] : 'what this field requests';
}

/** Returns the value at a path such as `tools[1].type`. */
function valueAt(body: JsonObject, path: string): unknown {
  let value: unknown = body;
  for (const step of path.match(/[^.[\]]+/g) ?? [])
    value = Array.isArray(value)
      ? value[Number(step)]
      : isJsonObject(value) && Object.hasOwn(value, step)
        ? value[step]
        : undefined;
  return value;
}
