/** `POST /v1/images/generations` (OpenAI API reference, "Create image"), and the pictures its URLs name. */
import { z } from 'zod';
import { jsonResponse, type SimulatedCall } from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { paint } from '../model/picture.ts';
import { identifierFrom } from '../model/random.ts';
import { errorResponse } from './protocol.ts';

const SEED_LENGTH = 24;
const DEFAULT_SIZE = '1024x1024';

const imageRequestSchema = z.looseObject({
  model: z.string().min(1),
  prompt: z.string().min(1),
  n: z.int().min(1).max(10).nullish(),
  size: z
    .string()
    .regex(/^[1-9]\d{2,3}x[1-9]\d{2,3}$/u)
    .nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
});

/** The path of this server's images; any name is valid. */
export const IMAGES_PATH = '/pictures/{name}';
const NAME = /^([A-Za-z0-9]+)-(\d{3,4})x(\d{3,4})\.png$/u;

export function respondWithImages({ body, headers }: SimulatedCall) {
  const request = readRequest(imageRequestSchema, body);
  const { prompt, n, size, response_format: format } = request;
  const [width = 0, height = 0] = (size ?? DEFAULT_SIZE).split('x').map(Number);
  const data = Array.from({ length: n ?? 1 }, (_, index) => {
    const seed = identifierFrom(`image ${index} ${prompt}`, SEED_LENGTH);
    return format === 'b64_json'
      ? { b64_json: paint(seed, width, height).toString('base64') }
      : { url: `http://${headers.host}/pictures/${seed}-${width}x${height}.png` };
  });
  return jsonResponse(200, { created: Math.floor(Date.now() / 1000), data });
}

export function respondWithImageFile({ parameters }: SimulatedCall) {
  const [, seed, width, height] = NAME.exec(parameters.name ?? '') ?? [];
  if (seed === undefined) return errorResponse(404, { message: 'There is no such picture.' });
  const body = paint(seed, Number(width), Number(height));
  return { kind: 'whole' as const, status: 200, headers: { 'content-type': 'image/png' }, body };
}
