/** The fields of a transcription request (interface, Resources). */
import * as z from 'zod';
import { ServiceError } from '../../../../platform/core/errors.ts';
import { validate } from '../../../../platform/core/json/json-body.ts';
import type { Upload } from '../../../../platform/core/upload.ts';
import { unpriced } from '../../fields/readers.ts';
import { fieldTable } from '../../fields/table.ts';
import { reference } from '../../routing/route-controls.ts';

export const transcriptionFields = z.object({
  model: reference.optional(),
  response_format: z
    .enum(['json', 'text', 'verbose_json'], 'must be json, text or verbose_json')
    .default('json'),
  language: z.string().max(32).optional(),
  /** Transcripts are not streamed. */
  stream: z.literal('false').optional(),
});

export type TranscriptionFields = z.infer<typeof transcriptionFields>;

/** OpenAI API reference, Create transcription, as in the package `openai` 7.55.0. */
export const TRANSCRIPTION_FIELDS = fieldTable([
  { at: '{language,timestamp_granularities}', isConverted: true },
  { at: '{languages,prompt,temperature,keywords,include}' },
  { at: '{chunking_strategy,known_speaker_names}' },
  // Recordings in addition to the file, which the file's length does not measure.
  { at: 'known_speaker_references', needs: unpriced },
]);

/** The name of a field whose elements and members forms write as `name[]` and `name[member]`. */
export const nameInForm = (name: string): string => name.replace(/\[.*$/s, '');

/** Returns whether the caller requests the time of each word. */
export const requestsWords = (fields: Upload['fields']): boolean =>
  fields.some(([name, value]) => nameInForm(name) === 'timestamp_granularities' && value === 'word');

/** Form fields that the service handles itself. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['model', 'response_format', 'stream', 'file']);

/** Checks the fields. Throws 400 `missing_field` or `invalid_value`. */
export function readForm({ fields, file }: Upload) {
  if (file === undefined) {
    const message = 'file is required: a part of the form with a file name.';
    throw new ServiceError('missing_field', message, { param: 'file' });
  }
  return {
    // An empty field is how forms leave one out.
    fields: validate(transcriptionFields, Object.fromEntries(fields.filter(([, value]) => value !== ''))),
    forwarded: fields.filter(([name]) => !OWN_FIELDS.has(name)),
    file,
  };
}
