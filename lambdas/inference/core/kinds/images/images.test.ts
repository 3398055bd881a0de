import { expect, it } from '@jest/globals';
import { validate } from '../../../../platform/core/json/json-body.ts';
import { candidateOf } from '../../../testing/catalog/models.ts';
import { imageRequest, images } from './images.ts';

const IMAGES = { type: 'image', price: { unit: 'per_image', image: 1 } };
const modelWith = (...routes: object[]) => candidateOf({ ...IMAGES, routes }).model;

const request = (fields: object) => validate(imageRequest, { model: 'sim/x', prompt: 'a fox', ...fields });

it.each([{}, { response_format: null }, { response_format: 'b64_json' }])(
  'the service requests images as bytes of every route: %j',
  (fields) => {
    const model = modelWith({}, { passes_image_urls: true });
    expect(images.servable?.(request(fields), model)).toBe(model);
    expect(images.toPayload(request(fields), model)).toMatchObject({ response_format: 'b64_json' });
  },
);

it('the service requests images by address only of routes whose vendor’s addresses the operator allows', () => {
  const model = modelWith({}, { passes_image_urls: true }, {});
  const byAddress = request({ response_format: 'url' });
  expect(images.servable?.(byAddress, model).routes.map(({ id }) => id)).toEqual(['route-1']);
  expect(images.toPayload(byAddress, model)).toMatchObject({ response_format: 'url' });
  expect(() => images.servable?.(byAddress, modelWith({}, {}))).toThrow(
    expect.objectContaining({ status: 400, code: 'invalid_value', param: 'response_format' }),
  );
});

it('the catalog allows addresses only for image models, and for the protocol that has them', () => {
  const passes = { passes_image_urls: true };
  const bedrock = { ...passes, protocol: 'bedrock', upstream_model: 'stability.stable-image-core-v1:1' };
  expect(() => modelWith(passes)).not.toThrow();
  expect(() => candidateOf({ routes: [passes] })).toThrow('is for type "image" only');
  expect(() => modelWith(bedrock)).toThrow('is for the protocol "openai" only');
});
