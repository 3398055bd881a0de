/** SpeechRequest (interface, Resources); fields it does not name are kept and forwarded. */
import * as z from 'zod';
import { reference, routeControlFields } from '../route-controls.ts';

export const speechRequest = z.looseObject({
  model: reference,
  input: z.string().min(1),
  voice: z.string().min(1).max(128).nullish(),
  response_format: z.enum(['mp3', 'wav'], 'must be mp3 or wav').nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  /** The interface answers with the audio itself, never with events. */
  stream_format: z.literal('audio', 'must be audio').nullish(),
  provider: routeControlFields.provider,
});

export type SpeechRequest = z.infer<typeof speechRequest>;
