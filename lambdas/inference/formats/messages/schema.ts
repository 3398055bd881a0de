/** MessagesRequest (interface, Resources), validated completely. Other fields and blocks are retained and forwarded. */
import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { outputLimitText } from '../../core/completions/output-default.ts';
import { reference, routeControlFields } from '../../core/routing/route-controls.ts';
import { TOOL_CHOICES } from '../../core/upstream/conversation.ts';
import { only } from '../../core/upstream/foreign-fields.ts';
import { isBase64 } from '../../core/upstream/sources.ts';

/** An object that is retained unchanged, including numbers of any length. */
const object = z.custom<JsonObject>(isJsonObject, 'must be an object');

/** The schema of a kind, or why there may be none of that kind. */
type Kinds = Readonly<Record<string, z.ZodType | string>>;

/** An object whose kind decides what else it must hold; a kind that is not named here is the upstream's to judge. */
const ofKind = (kinds: Kinds) =>
  z.looseObject({ type: z.string().min(1) }).superRefine((value, context) => {
    const kind = Object.hasOwn(kinds, value.type) ? kinds[value.type] : undefined;
    if (typeof kind === 'string') context.addIssue({ code: 'custom', path: ['type'], message: kind });
    else for (const issue of kind?.safeParse(value).error?.issues ?? []) context.addIssue({ ...issue });
  });

const content = (kinds: Kinds, least = 1) =>
  z.union(
    [z.string(), z.array(ofKind(kinds)).min(least, 'must not be empty')],
    'must be a string or an array of content blocks',
  );

/**
 * Fields that hold the content of a block. Each belongs to certain types of blocks alone (Claude API reference, Create
 * a Message).
 */
const CONTENTS = ['text', 'source', 'input', 'tool_use_id', 'content', 'thinking', 'signature', 'data'];

const text = z
  .looseObject({ type: z.literal('text'), text: z.string() })
  .superRefine(only('a text block', CONTENTS, ['text']));

const base64 = z.string().min(1, 'must not be empty').refine(isBase64, 'must be base64');

const image = z
  .looseObject({
    source: z.discriminatedUnion('type', [
      z.looseObject({
        type: z.literal('base64'),
        media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
        data: base64,
      }),
      z.looseObject({
        type: z.literal('url'),
        url: z.string().regex(/^https?:\/\//i, 'must be an http(s) URL'),
      }),
    ]),
  })
  .superRefine(only('an image block', CONTENTS, ['source']));

const noTools = {
  tool_use: 'tool_use blocks belong in assistant messages',
  tool_result: 'tool_result blocks belong in user messages',
};

const document = z
  .looseObject({
    source: ofKind({
      base64: z.looseObject({ data: base64 }),
      text: z.looseObject({ data: z.string() }),
      content: z.looseObject({
        content: content({ text, image, ...noTools, document: 'a document holds none' }),
      }),
    }),
  })
  .superRefine(only('a document block', CONTENTS, ['source']));

const toolUse = z
  .looseObject({ id: z.string().min(1), name: z.string().min(1), input: object })
  .superRefine(only('a tool_use block', CONTENTS, ['input']));

const toolResult = z
  .looseObject({
    tool_use_id: z.string().min(1),
    // A tool may return nothing.
    content: content({ text, image, document, ...noTools }, 0).nullish(),
    is_error: z.boolean().nullish(),
  })
  .superRefine(only('a tool_result block', CONTENTS, ['tool_use_id', 'content']));

const thinking = z
  .looseObject({ thinking: z.string(), signature: z.string().nullish() })
  .superRefine(only('a thinking block', CONTENTS, ['thinking', 'signature']));

const redactedThinking = z
  .looseObject({ data: z.string() })
  .superRefine(only('a redacted_thinking block', CONTENTS, ['data']));

/** The blocks whose fields are checked, by their types. */
export const blockSchemas = {
  text,
  image,
  document,
  tool_use: toolUse,
  tool_result: toolResult,
  thinking,
  redacted_thinking: redactedThinking,
};

const userBlocks = { ...noTools, text, image, document, tool_result: toolResult };

const assistantBlocks = {
  ...noTools,
  text,
  document,
  image: 'image blocks belong in user messages',
  tool_use: toolUse,
  thinking,
  redacted_thinking: redactedThinking,
};

const systemContent = z.union([z.string(), z.array(text)], 'must be a string or an array of text blocks');

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('user'), content: content(userBlocks) }),
  z.looseObject({ role: z.literal('assistant'), content: content(assistantBlocks) }),
  z.looseObject({ role: z.literal('system'), content: systemContent }),
]);

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, 'must be 1 to 128 of a-z A-Z 0-9 _ -');

export const customTool = z.looseObject({
  name,
  description: z.string().nullish(),
  input_schema: object,
  strict: z.boolean().nullish(),
});

/** A tool of any other type is defined by the upstream, which validates its fields. */
const tool = z.looseObject({ type: z.string().nullish() }).superRefine((value, context) => {
  if (value.type != null && value.type !== 'custom') return;
  for (const issue of customTool.safeParse(value).error?.issues ?? []) context.addIssue({ ...issue });
});

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };

const toolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(TOOL_CHOICES), ...parallel }),
  z.looseObject({ type: z.literal('tool'), name: z.string().min(1), ...parallel }),
]);

const jsonSchema = z.looseObject({
  type: z.literal('json_schema'),
  schema: object,
});

/** Amazon Bedrock user guide, Anthropic Claude Messages API, `stop_sequences`. */
const MAX_STOP_SEQUENCES = 8_191;

export const messagesRequest = z
  .looseObject({
    model: reference,
    messages: z.array(message).min(1, 'must not be empty'),
    system: systemContent.nullish(),
    max_tokens: z
      .int()
      .min(1)
      .max(10_000_000)
      .nullish()
      .describe(outputLimitText('`stop_reason` is `max_tokens`')),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_k: z.int().min(0).nullish(),
    stop_sequences: z.array(z.string().min(1)).max(MAX_STOP_SEQUENCES).nullish(),
    stream: z.boolean().nullish(),
    tools: z.array(tool).nullish(),
    tool_choice: toolChoice.nullish(),
    thinking: z
      .looseObject({ type: z.string().min(1), budget_tokens: z.int().min(1).max(10_000_000).nullish() })
      .nullish(),
    output_config: z
      .looseObject({
        format: jsonSchema.nullish(),
        effort: z.string().min(1).max(32).nullish(),
      })
      .nullish(),
    output_format: jsonSchema.nullish(),
    metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
    ...routeControlFields,
  })
  .superRefine(({ tools: declaredTools, tool_choice: choice }, context) => {
    if (choice?.type !== 'any' && choice?.type !== 'tool') return;
    const tools = declaredTools ?? [];
    const issue = (path: string[], problem: string) =>
      context.addIssue({ code: 'custom', path: ['tool_choice', ...path], message: problem });
    if (tools.length === 0) issue([], 'needs tools');
    else if (choice.type === 'tool' && !tools.some((candidate) => mayBe(candidate, choice.name)))
      issue(['name'], 'must be the name of one of the tools');
  });

/** Returns whether the tool may have the name. An upstream's tool set has no name, so it may contain any. */
const mayBe = (candidate: JsonObject, chosenName: string): boolean =>
  candidate.name === chosenName || candidate.name === undefined;
