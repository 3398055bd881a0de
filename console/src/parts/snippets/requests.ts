/** The requests that snippets make: as the playground sends them, or an example of a kind. */
import type { CallKindValue } from '../../api/values.ts';

export interface SnippetTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
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
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    messages: messages.filter(({ role }) => role !== 'system'),
    ...(tools === undefined ? {} : { tools: Array.isArray(tools) ? tools.map(messagesTool) : tools }),
    ...(format === undefined
      ? {}
      : { output_config: { format: { type: 'json_schema', schema: format.json_schema.schema } } }),
  };
}

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
