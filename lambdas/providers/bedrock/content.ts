/** Content blocks of Converse and the parts of a conversation (Amazon Bedrock API reference, ContentBlock). */
import type {
  ContentBlock,
  ImageBlock,
  ImageFormat,
  Message,
  ToolResultBlock,
  ToolResultContentBlock,
  ToolUseBlock,
} from '@aws-sdk/client-bedrock-runtime';
import type {
  AssistantPart,
  ImagePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../core/inference/conversation.ts';
import { UpstreamFailure } from '../../core/inference/provider.ts';
import { legalToolCallId } from '../../core/inference/tool-calls.ts';

/** Converse takes ids of at most this length (Amazon Bedrock API reference, ToolUseBlock). */
const MAX_TOOL_CALL_ID = 64;

/** Stands where Converse demands a text and the conversation has none. */
const OPENING_TEXT = 'Begin.';
const EMPTY_RESULT_TEXT = '(empty)';

/** Images that Converse takes (Amazon Bedrock API reference, ImageBlock), by media type. */
const IMAGE_FORMATS: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

export type Document = NonNullable<ToolUseBlock['input']>;

/**
 * The turns as messages that alternate, begin with the user's and are none of them empty. Throws `UpstreamFailure`
 * for an image of a format that no provider knows.
 */
export function toMessages(turns: readonly Turn[]): Message[] {
  const ids = new ToolCallIds();
  const drafts: Draft[] = [];
  for (const turn of turns) {
    const blocks = toBlocks(turn, ids);
    const last = drafts.at(-1);
    if (blocks.length === 0) continue;
    if (last?.role !== turn.role) drafts.push({ role: turn.role, blocks });
    else for (const block of blocks) last.blocks.push(block);
  }
  if (drafts[0]?.role !== 'user') drafts.unshift({ role: 'user', blocks: [{ text: OPENING_TEXT }] });
  const end = drafts.length - 1;
  return drafts.map(({ role, blocks }, index) => ({
    role,
    content: role === 'user' ? resultsFirst(blocks) : index === end ? withoutTrailingSpace(blocks) : blocks,
  }));
}

interface Draft {
  readonly role: Turn['role'];
  readonly blocks: ContentBlock[];
}

const toBlocks = (turn: Turn, ids: ToolCallIds): ContentBlock[] =>
  turn.role === 'user'
    ? turn.parts.flatMap((part) => userBlock(part, ids))
    : turn.parts.flatMap((part) => assistantBlock(part, ids));

/** Claude takes results only before anything else of the turn that follows its calls. */
const resultsFirst = (blocks: readonly ContentBlock[]): ContentBlock[] => [
  ...blocks.filter(({ toolResult }) => toolResult !== undefined),
  ...blocks.filter(({ toolResult }) => toolResult === undefined),
];

/** An answer that the model is to go on with is refused when it ends in white space. */
function withoutTrailingSpace(blocks: readonly ContentBlock[]): ContentBlock[] {
  const last = blocks.at(-1);
  return last?.text === undefined ? [...blocks] : [...blocks.slice(0, -1), { text: last.text.trimEnd() }];
}

/** Blank texts are refused, so they are left out. */
const textBlock = ({ text }: Pick<TextPart, 'text'>): { text: string }[] =>
  text.trim() === '' ? [] : [{ text }];

function userBlock(part: UserPart, ids: ToolCallIds): ContentBlock[] {
  if (part.type === 'text') return textBlock(part);
  return part.type === 'image' ? [{ image: toImage(part) }] : [{ toolResult: toToolResult(part, ids) }];
}

function assistantBlock(part: AssistantPart, ids: ToolCallIds): ContentBlock[] {
  return part.type === 'tool-call' ? [{ toolUse: toToolUse(part, ids) }] : textBlock(part);
}

function toImage({ source }: ImagePart): ImageBlock {
  const format = source.kind === 'base64' ? IMAGE_FORMATS[source.mediaType] : undefined;
  if (source.kind === 'url' || format === undefined)
    throw new UpstreamFailure('status', { status: 415, retryable: false });
  return { format, source: { bytes: Buffer.from(source.data, 'base64') } };
}

/** Only some models know a status, so it is sent only with an error. */
function toToolResult({ id, content, isError }: ToolResultPart, ids: ToolCallIds): ToolResultBlock {
  const blocks = content.flatMap((part): ToolResultContentBlock[] =>
    part.type === 'text' ? textBlock(part) : [{ image: toImage(part) }],
  );
  return {
    toolUseId: ids.ofResult(id),
    content: blocks.length === 0 ? [{ text: EMPTY_RESULT_TEXT }] : blocks,
    ...(isError ? { status: 'error' } : {}),
  };
}

function toToolUse({ id, name, arguments: text }: ToolCallPart, ids: ToolCallIds): ToolUseBlock {
  return { toolUseId: ids.ofCall(id), name, input: toToolInput(text) };
}

/** Ids as Converse takes them: legal, and each call's its own even where a caller numbers every turn anew. */
class ToolCallIds {
  readonly #seen = new Map<string, { called: number; answered: number }>();

  ofCall(id: string): string {
    const seen = this.#seen.get(id) ?? { called: 0, answered: 0 };
    this.#seen.set(id, { ...seen, called: seen.called + 1 });
    return legalId(id, seen.called);
  }

  /** That of the first call under this id that has no result yet. */
  ofResult(id: string): string {
    const seen = this.#seen.get(id);
    if (seen === undefined || seen.answered === seen.called) return legalId(id, 0);
    this.#seen.set(id, { ...seen, answered: seen.answered + 1 });
    return legalId(id, seen.answered);
  }
}

const legalId = (id: string, earlier: number): string =>
  legalToolCallId(earlier === 0 ? id : `${id}\0${earlier}`, MAX_TOOL_CALL_ID);

/** Converse takes objects only; what a model wrote in any other form is kept as text in one. */
function toToolInput(text: string): Document {
  if (text.trim() === '') return {};
  try {
    const value = parseDocument(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Kept as text below.
  }
  return { arguments: text };
}

/** A JSON value as the client takes it, which knows no `JSON.rawJSON`: long whole numbers are `bigint`. */
export function parseDocument(text: string): Document {
  const revive = (_key: string, value: unknown, { source = '' }: { readonly source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
      ? BigInt(source)
      : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown) as Document;
}

/** A JSON value as the client gives it: what a double cannot hold is a `bigint` or an object of the client's own. */
export function writeDocument(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'bigint') return rawJSON(String(inner));
    return isClientNumber(inner) ? rawJSON(inner.string) : inner;
  });
}

/** ECMAScript proposal "JSON.parse source text access", which the type library does not know yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function isClientNumber(value: unknown): value is { readonly string: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  return !isPlain && typeof (value as { string?: unknown }).string === 'string';
}
