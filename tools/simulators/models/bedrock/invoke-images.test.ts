import { InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from '@jest/globals';
import { runningUpstream } from '../../testing/models/running-upstream.ts';

const upstream = runningUpstream();
const CORE = 'stability.stable-image-core-v1:1';

interface Painted {
  readonly seeds: number[];
  readonly finish_reasons: null[];
  readonly images: string[];
}

async function paint(body: object, modelId = CORE): Promise<Painted> {
  const command = new InvokeModelCommand({
    modelId,
    contentType: 'application/json',
    body: JSON.stringify(body),
  });
  const { body: responseBody } = await upstream.bedrock().send(command);
  return JSON.parse(new TextDecoder().decode(responseBody)) as Painted;
}

/** W3C PNG specification, IHDR: width and height are the first two words. */
const sizeOf = ({ images: [image = ''] }: Painted): string => {
  const png = Buffer.from(image, 'base64');
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
};

describe('images of Stability AI', () => {
  it.each([CORE, 'stability.stable-image-ultra-v1:1', 'stability.sd3-5-large-v1:0'])(
    'arrive one per call, with its seed: %s',
    async (model) => {
      const painted = await paint({ prompt: 'a fox', output_format: 'png', seed: 7 }, model);
      expect(painted).toEqual({ seeds: [7], finish_reasons: [null], images: [expect.any(String)] });
      expect(sizeOf(painted)).toBe('1024x1024');
    },
  );

  it.each([
    ['a ratio that the models do not know', { prompt: 'a fox', aspect_ratio: '4:3' }],
    ['a body of Nova Canvas', { taskType: 'TEXT_IMAGE', textToImageParams: { text: 'a fox' } }],
    ['no prompt', {}],
    ['a prompt of more than 10,000 characters', { prompt: 'x'.repeat(10_001) }],
    ['a seed that is no whole number', { prompt: 'a fox', seed: 1.5 }],
    ['a number of images', { prompt: 'a fox', n: 2 }],
  ])('cause an error for %s', async (_name, body) => {
    await expect(paint(body)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  });

  it('cause an error for a model that has ended', async () => {
    await expect(paint({ prompt: 'a fox' }, 'amazon.nova-canvas-v1:0')).rejects.toMatchObject({
      name: 'ValidationException',
    });
  });
});
