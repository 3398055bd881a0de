/**
 * Items of a Responses request's `input` (OpenAI API reference, Create a model response, as in the package `openai`
 * 7.55.0). Items that every route supports are validated completely. The provider's own items pass unchanged. Any other
 * type is rejected.
 */
import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { SYSTEM_ROLES, UNSUPPORTED_FILE_ID } from '../../../core/fields/openai-rules.ts';
import { only } from '../../../core/upstream/foreign-fields.ts';
import { isImageUrl } from '../../../core/upstream/sources.ts';
import { itemType } from './items.ts';

/** A request with more items is rejected before any item is parsed. */
export const MAX_ITEMS = 10_000;

/** Fields that hold the content of a part. Each belongs to one type of part. */
const CONTENTS = ['text', 'refusal', 'image_url', 'file_id', 'file_url', 'file_data', 'input_audio'];

const text = z.looseObject({ text: z.string() }).superRefine(only('a text part', CONTENTS, ['text']));

const refusal = z
  .looseObject({ refusal: z.string() })
  .superRefine(only('a refusal part', CONTENTS, ['refusal']));

const fileId = z.null(UNSUPPORTED_FILE_ID).optional();

const image = z
  .looseObject({
    file_id: fileId,
    image_url: z.string().refine(isImageUrl, 'must be an http(s) or a base64 data URL'),
    detail: z.string().nullish(),
  })
  .superRefine(only('an input_image part', CONTENTS, ['image_url', 'file_id']));

const file = z
  .looseObject({
    file_id: fileId,
    file_url: z.string().nullish(),
    file_data: z.string().nullish(),
    filename: z.string().nullish(),
  })
  .superRefine(only('an input_file part', CONTENTS, ['file_id', 'file_url', 'file_data']))
  .superRefine(({ file_url: url, file_data: data }, context) => {
    if ((url == null) === (data == null))
      context.addIssue({ code: 'custom', path: [], message: 'needs either file_url or file_data' });
  });

/** The schema of a type, or why there may be none of that type. */
type Types = Readonly<Record<string, z.ZodType | string>>;

/** Returns the schema of an object whose type, as returned by `typeOf`, determines its other fields. */
const ofType = (types: Types, typeOf: (value: JsonObject) => string | undefined, what: string) =>
  z.custom<JsonObject>(isJsonObject, 'must be an object').superRefine((value, context) => {
    const type = typeOf(value);
    const rule = type !== undefined && Object.hasOwn(types, type) ? types[type] : undefined;
    if (typeof rule === 'object')
      for (const issue of rule.safeParse(value).error?.issues ?? []) context.addIssue({ ...issue });
    else
      context.addIssue({
        code: 'custom',
        path: ['type'],
        message: rule ?? `${JSON.stringify(value.type)} is no type of ${what} that is known here`,
      });
  });

const content = (types: Types) =>
  z.union(
    [z.string(), z.array(ofType(types, ({ type }) => (typeof type === 'string' ? type : undefined), 'part'))],
    'must be a string or an array of parts',
  );

const OF_ASSISTANT = { output_text: 'belongs in messages of the role assistant' };
const OF_USER = {
  input_image: 'belongs in messages of the role user',
  input_file: 'belongs in messages of the role user',
  input_audio: 'belongs in messages of the role user',
};

/** `input_audio` is a host's own (OpenRouter); its price is judged by the table of fields. */
const shown = { input_text: text, input_image: image, input_file: file };
const userContent = content({
  ...OF_ASSISTANT,
  refusal: OF_ASSISTANT.output_text,
  ...shown,
  input_audio: z.looseObject({}).superRefine(only('an input_audio part', CONTENTS, ['input_audio'])),
});
const systemContent = content({
  ...OF_ASSISTANT,
  ...OF_USER,
  refusal: OF_ASSISTANT.output_text,
  input_text: text,
});
const assistantContent = content({ ...OF_USER, output_text: text, input_text: text, refusal });
const output = content({
  ...shown,
  output_text: 'is no part of an output',
  refusal: 'is no part of an output',
});

/** Fields that hold the content of an item. Each belongs to certain types of items alone. */
const FIELDS = [
  'role',
  'content',
  'call_id',
  'name',
  'arguments',
  'input',
  'output',
  'summary',
  'encrypted_content',
];

const id = z.string().nullish();

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('user'), content: userContent, id }),
  z.looseObject({ role: z.enum(SYSTEM_ROLES), content: systemContent, id }),
  z.looseObject({ role: z.literal('assistant'), content: assistantContent, id }),
]);

const called = { id, call_id: z.string().min(1), name: z.string().min(1), namespace: z.string().nullish() };
const callOutput = z.looseObject({ id, call_id: z.string().min(1), output });

const thought = (...types: [string, ...string[]]) =>
  z.array(z.looseObject({ type: z.enum(types), text: z.string() })).nullish();

const reasoning = z.looseObject({
  id,
  summary: thought('summary_text'),
  content: thought('reasoning_text', 'text'),
  encrypted_content: z.string().nullish(),
});

/** Items that only routes of this protocol can be given; their fields are for the upstream to judge. */
const OWN_ITEMS = [
  'file_search_call',
  'computer_call',
  'computer_call_output',
  'web_search_call',
  'tool_search_call',
  'tool_search_output',
  'additional_tools',
  'configuration_update',
  'compaction',
  'compaction_trigger',
  'image_generation_call',
  'code_interpreter_call',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'program',
  'program_output',
];

/** An item of a provider's tool is no message; who may add tools is stated by a role. */
const ownItem = (type: string) =>
  z
    .looseObject({ id })
    .superRefine(
      only(`an item of the type ${type}`, ['role', 'content'], type === 'additional_tools' ? ['role'] : []),
    );

const holding = (schema: z.ZodType<JsonObject>, type: string, ...allowedFields: readonly string[]) =>
  schema.superRefine(only(`an item of the type ${type}`, FIELDS, allowedFields));

const item = ofType(
  {
    ...Object.fromEntries(OWN_ITEMS.map((type) => [type, ownItem(type)])),
    message: holding(message, 'message', 'role', 'content'),
    function_call: holding(
      z.looseObject({ ...called, arguments: z.string() }),
      'function_call',
      'call_id',
      'name',
      'arguments',
    ),
    custom_tool_call: holding(
      z.looseObject({ ...called, input: z.string() }),
      'custom_tool_call',
      'call_id',
      'name',
      'input',
    ),
    function_call_output: holding(callOutput, 'function_call_output', 'call_id', 'name', 'output'),
    custom_tool_call_output: holding(callOutput, 'custom_tool_call_output', 'call_id', 'name', 'output'),
    reasoning: holding(reasoning, 'reasoning', 'summary', 'content', 'encrypted_content'),
    item_reference: holding(z.looseObject({ id: z.string().min(1) }), 'item_reference'),
  },
  itemType,
  'item',
);

/** Returns whether a caller may send this item. */
export const isValidItem = (value: unknown): boolean => item.safeParse(value).success;

/** At least one item and at most `MAX_ITEMS`; the errors of one say which it is. */
export const items = z
  .array(z.unknown())
  .min(1, 'must not be empty')
  .superRefine((values, context) => {
    if (values.length > MAX_ITEMS)
      context.addIssue({
        code: 'custom',
        path: [MAX_ITEMS],
        message: `is one item too many; at most ${MAX_ITEMS} are taken`,
      });
  })
  .pipe(z.array(item));
