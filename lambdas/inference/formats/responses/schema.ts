/**
 * ResponsesRequest (OpenAI API reference, Create a model response). The fields that affect a route or a bill are
 * validated. Other fields are retained and forwarded.
 */
import * as z from 'zod';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import { EFFORTS } from '../../core/catalog/dialect.ts';
import { outputLimitText } from '../../core/completions/output-default.ts';
import { reference, routeControlFields } from '../../core/routing/route-controls.ts';
import { items } from './input/item-schema.ts';
import { toolChoice, tools, wrongChoice } from './tool-schema.ts';

const object = z.custom<JsonObject>(isJsonObject, 'must be an object');

const format = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 of a-z A-Z 0-9 _ -'),
    schema: object,
    description: z.string().nullish(),
    strict: z.boolean().nullish(),
  }),
]);

/** OpenAI API reference, Create a model response, `metadata`. */
const METADATA_PAIRS = 16;
const METADATA_KEY = 64;
const METADATA_VALUE = 512;

const metadata = z
  .record(
    z.string().max(METADATA_KEY, `must be a key of at most ${METADATA_KEY} characters`),
    z.string().max(METADATA_VALUE),
  )
  .refine(
    (pairs) => Object.keys(pairs).length <= METADATA_PAIRS,
    `must have at most ${METADATA_PAIRS} pairs`,
  );

const name = z.string().max(1_024).nullish();
const effort = z.enum(EFFORTS).nullish();

/** OpenAI API reference, Create a model response, `include`. */
const INCLUDABLE = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
] as const;

const includable = z.enum(INCLUDABLE);

export const responsesRequest = z
  .looseObject({
    model: reference,
    input: z.union([z.string(), items], 'must be a string or an array of items'),
    instructions: z.string().nullish(),
    max_output_tokens: z
      .int()
      .min(1)
      .max(10_000_000)
      .nullish()
      .describe(
        outputLimitText('`status` is `incomplete`', 'as many as the model writes and the credit covers'),
      ),
    max_tool_calls: z.int().min(1).max(10_000_000).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_logprobs: z.int().min(0).max(20).nullish(),
    tools: tools.nullish(),
    tool_choice: toolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    text: z.looseObject({ format: format.nullish(), verbosity: z.string().max(32).nullish() }).nullish(),
    reasoning: z.looseObject({ effort, summary: z.string().max(32).nullish() }).nullish(),
    truncation: z.enum(['auto', 'disabled']).nullish(),
    metadata: metadata.nullish(),
    include: z.array(includable).max(64).nullish(),
    store: z.boolean().nullish(),
    background: z.boolean().nullish(),
    previous_response_id: z.string().nullish(),
    stream: z.boolean().nullish(),
    stream_options: object.nullish(),
    service_tier: z.string().nullish(),
    prompt_cache_key: name,
    safety_identifier: name,
    user: name,
    ...routeControlFields,
  })
  .superRefine(({ tool_choice: choice, tools: declared }, context) => {
    // A check of the whole runs in spite of issues within; a choice is judged among tools that have none.
    if (context.issues.length > 0) return;
    const wrong = wrongChoice(choice, declared ?? []);
    if (wrong !== undefined)
      context.addIssue({ code: 'custom', path: ['tool_choice', ...wrong.path], message: wrong.message });
  });
