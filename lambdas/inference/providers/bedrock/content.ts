/** Content blocks of Converse and the parts of a conversation (Amazon Bedrock API reference, ContentBlock). */
import type {
  CachePointBlock,
  ContentBlock,
  DocumentBlock,
  ImageBlock,
  ImageFormat,
  Message,
  ReasoningContentBlock,
  ToolResultBlock,
  ToolResultContentBlock,
  ToolUseBlock,
} from '@aws-sdk/client-bedrock-runtime';
import { parseJson, rawJson } from '../../../platform/core/json/lossless-json.ts';
import type {
  CacheLifetime,
  DocumentPart,
  ImagePart,
  ToolResultPart,
  UserPart,
} from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { toolInput } from '../../core/upstream/tool-calls.ts';
import {
  type ClaudePart,
  type ClaudeTurn,
  type RouteReasoning,
  sealRouteSignature,
} from '../claude/route-signatures.ts';

/** Stands where Converse demands a text and a result has none. */
const EMPTY_RESULT_TEXT = '(empty)';

/** Images that Converse takes (Amazon Bedrock API reference, ImageBlock), by media type. */
const IMAGE_FORMATS: ReadonlyMap<string, ImageFormat> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

export type Document = NonNullable<ToolUseBlock['input']>;

/** Returns the turns as messages. Throws `UpstreamFailure` for an image format that no provider supports. */
export function toMessages(turns: readonly ClaudeTurn[]): Message[] {
  let documents = 0;
  return turns.map(({ role, parts }) => {
    const content = [...parts].flatMap((part): ContentBlock[] => {
      if (part.type !== 'document') return withCachePoint(toBlock(part), part);
      documents += 1;
      return withCachePoint({ document: toDocument(part, documents) }, part);
    });
    return { role, content: withText(content) };
  });
}

/** A message with a document must have a text (Amazon Bedrock API reference, ContentBlock). */
const withText = (content: ContentBlock[]): ContentBlock[] =>
  content.some(({ document }) => document !== undefined) && !content.some(({ text }) => text !== undefined)
    ? [...content, { text: DOCUMENT_TEXT }]
    : content;

const DOCUMENT_TEXT = '(document)';

/** The end of what is to be cached; Converse has 5 minutes where it does not say (CachePointBlock). */
export const cachePoint = (cache: CacheLifetime): { readonly cachePoint: CachePointBlock } => ({
  cachePoint: { type: 'default', ...(cache === '5m' ? {} : { ttl: cache }) },
});

const withCachePoint = (block: ContentBlock, part: UserPart | ClaudePart): ContentBlock[] =>
  part.type === 'reasoning' || part.cache === undefined ? [block] : [block, cachePoint(part.cache)];

function toBlock(part: Exclude<UserPart | ClaudePart, DocumentPart>): ContentBlock {
  switch (part.type) {
    case 'image':
      return { image: toImage(part) };
    case 'tool-result':
      return { toolResult: toToolResult(part) };
    case 'tool-call': {
      const input = toolInput(part.arguments, parseDocument) as Document;
      return { toolUse: { toolUseId: part.id, name: part.name, input } };
    }
    case 'reasoning':
      return { reasoningContent: toReasoning(part) };
    case 'audio':
      throw unsupported();
    default:
      return { text: part.text };
  }
}

/** Returns a reasoning block. For hidden reasoning, the signature contains the bytes in base64. */
const toReasoning = ({ text, routeSignature }: RouteReasoning): ReasoningContentBlock =>
  'redacted' in routeSignature
    ? { redactedContent: Buffer.from(routeSignature.redacted, 'base64') }
    : { reasoningText: { text, signature: routeSignature.signature } };

/**
 * Returns the sealed signature of a thought; undefined if the model returns none. Neither field of the input is
 * certain.
 */
export function signatureOf(
  { signature, redacted }: { readonly signature: unknown; readonly redacted: unknown },
  signatures: Signatures,
): string | undefined {
  if (typeof signature === 'string' && signature !== '') return sealRouteSignature({ signature }, signatures);
  if (!(redacted instanceof Uint8Array) || redacted.length === 0) return undefined;
  return sealRouteSignature({ redacted: Buffer.from(redacted).toString('base64') }, signatures);
}

/** For what routes of this protocol are no candidates. */
const unsupported = () => new UpstreamFailure('status', { status: 415, retryable: false });

/** No two documents of a request may have one name, which may hold little (Amazon Bedrock API reference, DocumentBlock). */
function toDocument({ source, name = '' }: DocumentPart, number: number): DocumentBlock {
  if (source.kind === 'url') throw unsupported();
  const plain = name
    .replaceAll(/[^A-Za-z0-9()[\]-]+/g, ' ')
    .trim()
    .slice(0, MAX_NAME);
  return {
    format: 'pdf',
    name: `${plain === '' ? 'Document' : plain} [${number}]`,
    source: { bytes: Buffer.from(source.data, 'base64') },
  };
}

/** Letters of 200, with room for the number. */
const MAX_NAME = 180;

function toImage({ source }: ImagePart): ImageBlock {
  const format = source.kind === 'base64' ? IMAGE_FORMATS.get(source.mediaType) : undefined;
  if (source.kind === 'url' || format === undefined) throw unsupported();
  return { format, source: { bytes: Buffer.from(source.data, 'base64') } };
}

/** Returns the result of a tool. Only some models support a status, so it is sent only with an error. */
function toToolResult({ id, content, isError }: ToolResultPart): ToolResultBlock {
  const blocks = content.map(
    (part): ToolResultContentBlock => (part.type === 'text' ? { text: part.text } : { image: toImage(part) }),
  );
  return {
    toolUseId: id,
    content: blocks.length === 0 ? [{ text: EMPTY_RESULT_TEXT }] : blocks,
    ...(isError ? { status: 'error' } : {}),
  };
}

/** Parses a JSON value for the client, which does not support `JSON.rawJSON`: long integers become `bigint`. */
export const parseDocument = (text: string): Document => parseJson(text, BigInt) as Document;

/** A JSON value as the client gives it: what a double cannot hold is a `bigint` or an object of the client's own. */
export function writeDocument(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'bigint') return rawJson(String(inner));
    return isClientNumber(inner) ? rawJson(inner.string) : inner;
  });
}

function isClientNumber(value: unknown): value is { readonly string: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  return !isPlain && typeof (value as { string?: unknown }).string === 'string';
}
