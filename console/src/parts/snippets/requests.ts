/** The requests that snippets make: as the playground sends them, or an example of a kind. */
import type { PolicyBody, PriceBody } from '../../api/types.ts';
import type { CallKindValue } from '../../api/values.ts';

type SnippetPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export interface SnippetTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string | readonly SnippetPart[];
}

/** A chat completion as OpenAI's API takes it. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly SnippetTurn[];
  readonly max_tokens?: number;
  /** Tools that a user wrote, in any shape. */
  readonly tools?: unknown;
  readonly response_format?: {
    readonly type: 'json_schema';
    readonly json_schema: { readonly name: string; readonly schema: unknown };
  };
}

export type SnippetRequest =
  | { readonly kind: 'chat'; readonly body: ChatBody }
  | {
      readonly kind: Exclude<CallKindValue, 'chat'>;
      /** The fields of a transcription's form, in addition to its file. */
      readonly body: Readonly<Record<string, unknown>>;
      /** The name of the file of a transcription. */
      readonly file?: string;
    };

type ListedModel = Pick<PriceBody, 'model_id' | 'type' | 'default'>;

/**
 * Returns an example request for a model that a policy allows: a chat model before others, and the default of a kind before
 * its other models. While no model is known, the request has a placeholder for its name.
 */
export function exampleOf(
  models: readonly ListedModel[],
  { allowed_models: names, allowed_kinds: kinds }: PolicyBody = {},
): SnippetRequest {
  const allowed = models.filter(
    ({ model_id: id, type }) => (names?.includes(id) ?? true) && (kinds?.includes(type) ?? true),
  );
  const chat = allowed.filter(({ type }) => type === 'chat');
  const candidates = chat.length > 0 ? chat : allowed;
  const model = candidates.find((each) => each.default) ?? candidates[0];
  return exampleRequest(model?.type ?? 'chat', model?.model_id ?? names?.[0] ?? '<model>');
}

/** Returns an example request to start with. */
export function exampleRequest(kind: CallKindValue, model: string): SnippetRequest {
  switch (kind) {
    case 'chat':
      return { kind, body: { model, messages: [{ role: 'user', content: 'Say hello.' }] } };
    case 'embeddings':
      return { kind, body: { model, input: 'Say hello.' } };
    case 'image':
      return { kind, body: { model, prompt: 'A lighthouse at dusk', response_format: 'b64_json' } };
    case 'tts':
      return { kind, body: { model, input: 'Say hello.', voice: 'alloy' } };
    case 'audio':
      return { kind, body: { model } };
  }
}

/** The maximum of output tokens where none is chosen: Anthropic's API requires one for every request. */
const MAX_TOKENS = 1024;

/** The same request as Anthropic's Messages API takes it. */
export function messagesBody({
  model,
  messages,
  max_tokens: maxTokens = MAX_TOKENS,
  tools,
  response_format: format,
}: ChatBody): object {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content as string);
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    messages: messages.filter(({ role }) => role !== 'system').map(messagesTurn),
    ...(tools === undefined ? {} : { tools: Array.isArray(tools) ? tools.map(messagesTool) : tools }),
    ...(format === undefined
      ? {}
      : { output_config: { format: { type: 'json_schema', schema: format.json_schema.schema } } }),
  };
}

/** A picture of a data URL is a source of the Messages API. */
const messagesTurn = ({ role, content }: SnippetTurn) => ({
  role,
  content:
    typeof content === 'string'
      ? content
      : content.map((part) => {
          if (part.type === 'text') return part;
          const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/.exec(part.image_url.url) ?? [];
          return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
        }),
});

interface ChatTool {
  readonly function?: {
    readonly name?: unknown;
    readonly description?: unknown;
    readonly parameters?: unknown;
  };
}

function messagesTool(tool: unknown): unknown {
  const { function: called } = (tool ?? {}) as ChatTool;
  if (typeof called !== 'object') return tool;
  const { name, description, parameters = { type: 'object' } } = called;
  return { name, ...(description === undefined ? {} : { description }), input_schema: parameters };
}
