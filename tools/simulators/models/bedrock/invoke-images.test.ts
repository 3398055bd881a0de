import { InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { expect, it } from '@jest/globals';
import { runningUpstream } from '../../testing/models/running-upstream.ts';

const upstream = runningUpstream();
const CORE = 'stability.stable-image-core-v1:1';

it.each([
  ['a ratio that the models do not know', { prompt: 'a fox', aspect_ratio: '4:3' }],
  ['a body of Nova Canvas', { taskType: 'TEXT_IMAGE', textToImageParams: { text: 'a fox' } }],
  ['no prompt', {}],
  ['a prompt of more than 10,000 characters', { prompt: 'x'.repeat(10_001) }],
  ['a seed that is no whole number', { prompt: 'a fox', seed: 1.5 }, CORE, 'SerializationException'],
  ['a number of images', { prompt: 'a fox', n: 2 }],
  ['a model that has ended', { prompt: 'a fox' }, 'amazon.nova-canvas-v1:0'],
])(
  'images of Stability AI cause an error for %s',
  async (_name, body: object, modelId = CORE, name = 'ValidationException') => {
    const input = { modelId, contentType: 'application/json', body: JSON.stringify(body) };
    await expect(upstream.bedrock().send(new InvokeModelCommand(input))).rejects.toMatchObject({
      name,
      $metadata: { httpStatusCode: 400 },
    });
  },
);
