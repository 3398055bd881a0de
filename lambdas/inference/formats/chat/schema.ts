/** ChatCompletionRequest (interface, Resources), validated completely. Other fields are retained and forwarded. */
import * as z from 'zod';
import { EFFORTS } from '../../core/catalog/dialect.ts';
import { outputLimitText } from '../../core/completions/output-default.ts';
import { PLAIN_TOOL_CHOICES, SYSTEM_ROLES, UNSUPPORTED_FILE_ID } from '../../core/fields/openai-rules.ts';
import { reference, routeControlFields } from '../../core/routing/route-controls.ts';
import { only } from '../../core/upstream/foreign-fields.ts';
import { ADDRESS, AUDIO_FORMATS, isBase64, isImageUrl, isPdfUrl } from '../../core/upstream/sources.ts';

/** The fields of content parts. Each field belongs to the type of the same name only. */
const CONTENTS = ['text', 'refusal', 'image_url', 'input_audio', 'file'];

const textPart = z
  .looseObject({ type: z.literal('text'), text: z.string() })
  .superRefine(only('a text part', CONTENTS, ['text']));

const refusalPart = z
  .looseObject({ type: z.literal('refusal'), refusal: z.string() })
  .superRefine(only('a refusal part', CONTENTS, ['refusal']));

const imagePart = z
  .looseObject({
    type: z.literal('image_url'),
    image_url: z.looseObject({
      url: z.string().refine(isImageUrl, 'must be an http(s) or a base64 data URL'),
      detail: z.string().nullish(),
    }),
  })
  .superRefine(only('an image_url part', CONTENTS, ['image_url']));

/** An address in place of the bytes is OpenRouter's (OpenRouter docs, PDF inputs). */
const filePart = z
  .looseObject({
    type: z.literal('file'),
    file: z.looseObject({
      file_id: z.null(UNSUPPORTED_FILE_ID).optional(),
      file_data: z
        .string()
        .refine(
          (text) => isPdfUrl(text) || ADDRESS.test(text),
          'must be a PDF as a base64 data URL, or its http(s) URL',
        ),
      filename: z.string().max(256).nullish(),
    }),
  })
  .superRefine(only('a file part', CONTENTS, ['file']));

const audioPart = z
  .looseObject({
    type: z.literal('input_audio'),
    input_audio: z.looseObject({
      data: z.string().refine(isBase64, 'must be base64'),
      format: z.enum(AUDIO_FORMATS),
    }),
  })
  .superRefine(only('an input_audio part', CONTENTS, ['input_audio']));

const contentOf = (...parts: [typeof textPart] | [typeof textPart, typeof refusalPart]) =>
  z.union(
    [z.string(), z.array(z.discriminatedUnion('type', parts)).min(1)],
    'must be a string or an array of text parts',
  );

/** The content of a system, developer or tool message. */
const textContent = contentOf(textPart);

const assistantContent = contentOf(textPart, refusalPart);

const userContent = z.union(
  [z.string(), z.array(z.discriminatedUnion('type', [textPart, imagePart, filePart, audioPart])).min(1)],
  'must be a string or an array of text, image_url, file and input_audio parts',
);

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 of a-z A-Z 0-9 _ -');

const called = z.looseObject({ name: z.string().min(1), arguments: z.string() });

const toolCall = z.looseObject({ id: z.string().min(1), type: z.literal('function'), function: called });

const optionalName = z.string().max(64).nullish();

/** Fields that messages of one role may contain and messages of other roles may not. */
const REASONING = ['reasoning_content', 'reasoning', 'reasoning_details'];
const OF_ROLES = ['refusal', 'tool_calls', 'function_call', 'audio', 'tool_call_id', ...REASONING];

const reasoningDetail = z.looseObject({
  type: z.string().min(1),
  text: z.string().nullish(),
  summary: z.string().nullish(),
  signature: z.string().nullish(),
  data: z.string().nullish(),
  id: z.string().nullish(),
});

const message = z.discriminatedUnion('role', [
  z
    .looseObject({ role: z.enum(SYSTEM_ROLES), content: textContent.nullish(), name: optionalName })
    .superRefine(only('a system message', OF_ROLES, [])),
  z
    .looseObject({ role: z.literal('user'), content: userContent.nullish(), name: optionalName })
    .superRefine(only('a user message', OF_ROLES, [])),
  z
    .looseObject({
      role: z.literal('assistant'),
      content: assistantContent.nullish(),
      refusal: z.string().nullish(),
      name: optionalName,
      tool_calls: z.array(toolCall).max(128).nullish(),
      function_call: called.nullish(),
      reasoning_content: z.string().nullish(),
      reasoning: z.string().nullish(),
      reasoning_details: z.array(reasoningDetail).max(1_024).nullish(),
    })
    .superRefine(
      only('an assistant message', OF_ROLES, [
        'refusal',
        'tool_calls',
        'function_call',
        'audio',
        ...REASONING,
      ]),
    ),
  z
    .looseObject({
      role: z.literal('tool'),
      content: textContent.nullish(),
      tool_call_id: z.string().min(1).nullish(),
      name: optionalName,
    })
    .superRefine(only('a tool message', OF_ROLES, ['tool_call_id'])),
]);

const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name,
    description: z.string().nullish(),
    parameters: z.looseObject({}).nullish(),
    strict: z.boolean().nullish(),
  }),
});

const toolChoice = z.union(
  [
    z.enum(PLAIN_TOOL_CHOICES),
    z.looseObject({ type: z.literal('function'), function: z.looseObject({ name }) }),
  ],
  'must be "none", "auto", "required" or {"type": "function", "function": {"name": ...}}',
);

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ name, schema: z.looseObject({}).nullish(), strict: z.boolean().nullish() }),
  }),
]);

const stop = z.string().min(1);
const tokens = z.int().min(1).max(10_000_000);

export const chatCompletionRequest = z
  .looseObject({
    model: reference,
    messages: z.array(message).min(1),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    max_tokens: tokens.nullish().describe(outputLimitText('`finish_reason` is `length`')),
    max_completion_tokens: tokens.nullish().describe('The newer name of `max_tokens`.'),
    top_p: z.number().min(0).max(1).nullish(),
    stop: z
      .union([stop, z.array(stop).max(16)], 'must be a string or an array of up to 16 strings')
      .nullish(),
    n: z.int().min(1).max(128).nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    tools: z.array(tool).min(1).max(128).nullish(),
    tool_choice: toolChoice.nullish(),
    response_format: responseFormat.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    user: z.string().nullish(),
    safety_identifier: z.string().nullish(),
    prompt_cache_key: z.string().nullish(),
    reasoning_effort: z.string().min(1).max(32).nullish(),
    reasoning: z
      .looseObject({
        effort: z.enum(EFFORTS).nullish(),
        max_tokens: tokens.nullish(),
        enabled: z.boolean().nullish(),
        exclude: z.boolean().nullish(),
      })
      .nullish(),
    thinking: z.looseObject({ type: z.string().min(1), budget_tokens: tokens.nullish() }).nullish(),
    ...routeControlFields,
  })
  .superRefine((request, context) => {
    const issue = (path: (string | number)[], text: string) =>
      context.addIssue({ code: 'custom', path, message: text });
    const { max_tokens: older, max_completion_tokens: newer, tools, tool_choice: choice } = request;
    if (older != null && newer != null && older !== newer) {
      issue(['max_completion_tokens'], 'is another name of max_tokens and must not differ from it');
    }
    if (tools == null && choice != null && choice !== 'none' && choice !== 'auto') {
      issue(['tool_choice'], 'needs tools');
    }
    if (tools != null && typeof choice === 'object' && choice !== null) {
      const chosenName = choice.function.name;
      if (!tools.some((candidate) => candidate.function.name === chosenName)) {
        issue(['tool_choice', 'function', 'name'], 'must be the name of one of the tools');
      }
    }
  })
  // For the API's description, which has no other form of a rule about two fields that generators of clients pass over.
  .meta({
    if: { required: ['tool_choice'], properties: { tool_choice: { not: { enum: ['none', 'auto', null] } } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ['tools'], properties: { tools: { type: 'array' } } },
  });
