/** ImageRequest (interface, Resources); fields it does not name are kept and forwarded. */
import * as z from 'zod';
import { reference, routeControlFields } from '../../routing/route-controls.ts';

const MAX_IMAGES = 4;

const SIZES = ['512x512', '768x768', '1024x1024', '1024x768', '768x1024'] as const;

export const imageRequest = z.looseObject({
  model: reference,
  prompt: z.string().min(1),
  n: z.int().min(1).max(MAX_IMAGES).nullish(),
  size: z.enum(SIZES, `must be one of ${SIZES.join(', ')}`).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  /** Partial images would need a stream of events, which the interface does not have. */
  stream: z.literal(false, 'must be false: images are answered whole').nullish(),
  user: z.string().nullish(),
  provider: routeControlFields.provider,
});

export type ImageRequest = z.infer<typeof imageRequest>;
