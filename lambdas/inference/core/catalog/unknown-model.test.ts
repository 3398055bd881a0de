import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Kind } from '../../../platform/core/kinds.ts';
import { unknownModel } from './unknown-model.ts';

const MODELS = new Map<string, { readonly type: Kind }>([
  ['openai/gpt-5.2', { type: 'chat' }],
  ['anthropic/claude-sonnet-4-5', { type: 'chat' }],
  ['claude-sonnet-4-5', { type: 'chat' }],
  ['sim/chat', { type: 'chat' }],
  ['sim/embed', { type: 'embeddings' }],
  ['sim/tts', { type: 'tts' }],
]);
const catalog = { names: MODELS.keys(), defaults: {}, find: (name: string) => MODELS.get(name) };
const messageOf = (name: string, kind: Kind = 'chat') =>
  unknownModel({ ...catalog, names: MODELS.keys() }, name, kind, 'model').message;

describe('the error for an unknown model', () => {
  it('names the path of a model of another kind', () => {
    expect(unknownModel(catalog, 'sim/embed', 'chat', 'model')).toEqual(
      new ServiceError('model_not_found', '"sim/embed" is an embeddings model: call POST /v1/embeddings.', {
        param: 'model',
      }),
    );
    expect(messageOf('sim/chat', 'tts')).toBe('"sim/chat" is a chat model: call POST /v1/chat/completions.');
  });

  it.each([
    ['gpt-5.2', 'openai/gpt-5.2'],
    ['gpt-4o', 'openai/gpt-5.2'],
    ['GPT-5-2', 'openai/gpt-5.2'],
    ['openai/gpt-52', 'openai/gpt-5.2'],
    ['claude-sonet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4-5'],
    ['sim/chatt', 'sim/chat'],
    ['sim/chta', 'sim/chat'],
    ['simchat', 'sim/chat'],
    ['SimCaht', 'sim/chat'],
    ['sim/chat/', 'sim/chat'],
  ])('suggests for %s the model %s', (name, similar) => {
    expect(messageOf(name)).toBe(
      `There is no chat model named ${JSON.stringify(name)}. Did you mean "${similar}"? GET /v1/models lists the models.`,
    );
  });

  it.each([
    '',
    '/',
    'sim',
    'llama',
    'g',
    'xim/embed',
    'sim/embedd',
    `claude-sonnet-4-5${'-'.repeat(64)}`,
    '__proto__',
  ])('suggests no similar model for %s, but the default of the kind if there is one', (name) => {
    expect(messageOf(name)).toBe(
      `There is no chat model named ${JSON.stringify(name)}. GET /v1/models lists the models.`,
    );
    const defaults = { chat: 'sim/chat', tts: 'sim/tts' } as const;
    expect(unknownModel({ ...catalog, names: MODELS.keys(), defaults }, name, 'chat', 'model').message).toBe(
      `There is no chat model named ${JSON.stringify(name)}. The default is "sim/chat". GET /v1/models lists the models.`,
    );
  });
});
