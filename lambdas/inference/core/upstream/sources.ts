/** The content of a request that is not text (images, PDF documents and audio), and the location of its bytes. */

import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';

/** Bytes in base64, or an address that the upstream fetches. */
export type MediaSource =
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string };

/** `data:<media type>;<parameters>;base64,` (RFC 2397). No provider takes the parameters. */
const OPENING = /^data:([a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64})((?:;[^;,]{0,256}){0,8});base64,/i;

/** Returns the media type and the bytes of a data URL; undefined for any other text. */
function dataOf(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const [opening, mediaType] = OPENING.exec(url) ?? [];
  if (opening === undefined || mediaType === undefined) return undefined;
  return { mediaType: mediaType.toLowerCase(), data: url.slice(opening.length) };
}

/** The bytes of a data URL; any other URL is an address. */
export function sourceOf(url: string): MediaSource {
  const bytes = dataOf(url);
  return bytes === undefined ? { kind: 'url', url } : { kind: 'base64', ...bytes };
}

/**
 * Returns the messages of a chat request or the items of a Responses request with data URLs without parameters: the same array
 * if there are none. Only parts of content have them; the arguments of tool calls stay as they are.
 */
export const withPlainDataUrls = (items: unknown): unknown =>
  mapped(items, (item) =>
    withChanged(item, ['content', 'output'], (parts) =>
      mapped(parts, (part) => withChanged(part, ['image_url', 'file', 'file_data'], withPlainUrl)),
    ),
  );

const withPlainUrl = (source: unknown): unknown =>
  typeof source === 'string' ? plainDataUrl(source) : withChanged(source, ['url', 'file_data'], withPlainUrl);

/** Returns the same value if nothing in it changes, or if it is no array. */
function mapped(value: unknown, change: (item: unknown) => unknown): unknown {
  if (!Array.isArray(value)) return value;
  const items = value.map(change);
  return items.every((item, index) => item === value[index]) ? value : items;
}

/** Returns the same value if none of the fields changes, or if it is no object. */
function withChanged(
  value: unknown,
  fields: readonly string[],
  change: (field: unknown) => unknown,
): unknown {
  if (!isJsonObject(value)) return value;
  const changed = fields.flatMap((name) => {
    const next = change(value[name]);
    return next === value[name] ? [] : [[name, next] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

function plainDataUrl(url: string): string {
  const [opening, mediaType, parameters] = OPENING.exec(url) ?? [];
  return opening === undefined || parameters === ''
    ? url
    : `data:${mediaType};base64,${url.slice(opening.length)}`;
}

/** The source as one URL. */
export const urlOf = (source: MediaSource): string =>
  source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;

/** The one type of document that every protocol with documents has (RFC 8118). */
export const PDF = 'application/pdf';

/** Returns whether a text is the data URL of a PDF. */
export function isPdfUrl(url: string): boolean {
  const { mediaType, data = '' } = dataOf(url) ?? {};
  return mediaType === PDF && isBase64(data);
}

/** Returns whether a text is an address, or the data URL of an image. */
export function isImageUrl(url: string): boolean {
  const { mediaType = '', data = '' } = dataOf(url) ?? {};
  return mediaType.startsWith('image/') ? isBase64(data) : ADDRESS.test(url);
}

export const ADDRESS = /^https?:\/\//i;

/** Returns whether a text is the bytes of a file, in a URL or alone, and not another text in their place. */
export const isFileBytes = (text: string): boolean => isBase64(dataOf(text)?.data ?? text);

/** The location of an image's bytes in base64: in a data URL, or in a separate field. */
export type ImageField = 'url' | 'data';

/** Returns the bytes of an image in base64, from a URL or a plain value. Undefined for any other text. */
export function imageBytesOf(text: string, at: ImageField): string | undefined {
  if (at === 'data') return isBase64(text) ? text : undefined;
  const { mediaType = '', data = '' } = dataOf(text) ?? {};
  return mediaType.startsWith('image/') && isBase64(data) ? data : undefined;
}

/** The formats of audio, in a prompt and as speech (OpenAI API reference, Create chat completion, `input_audio`). */
export const AUDIO_FORMATS = ['mp3', 'wav'] as const;
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** Matches a character outside of base64 (RFC 4648, section 4). A cheap check for a text that may have megabytes. */
const OTHER_LETTER = /[^A-Za-z0-9+/]/;

/**
 * Returns whether a text is not empty and consists of base64 letters, with at most two `=` after them. Takes linear
 * time.
 */
export function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const letters = text.slice(0, text.length - padding);
  return letters !== '' && !OTHER_LETTER.test(letters);
}
