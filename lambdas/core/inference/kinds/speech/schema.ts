/** SpeechRequest (interface, Resources); fields it does not name are kept and forwarded. */

import * as z from 'zod';
import { reference, routeControlFields } from '../../routing/route-controls.ts';
import { AUDIO_FORMATS } from '../../upstream/sources.ts';

/** OpenAI API reference, Create speech: the most characters of either text. */
const MAX_CHARACTERS = 4_096;

const text = z.string().max(MAX_CHARACTERS, `must be at most ${MAX_CHARACTERS} characters`);

export const speechRequest = z.looseObject({
  model: reference,
  input: text.min(1),
  instructions: text.nullish(),
  voice: z.string().min(1).max(128).nullish(),
  response_format: z.enum(AUDIO_FORMATS, 'must be mp3 or wav').nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  /** The interface answers with the audio itself, never with events. */
  stream_format: z.literal('audio', 'must be audio').nullish(),
  provider: routeControlFields.provider,
});

export type SpeechRequest = z.infer<typeof speechRequest>;
