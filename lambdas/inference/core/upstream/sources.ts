/** The content of a request that is not text (images, PDF documents and audio), and the location of its bytes. */

/** Bytes in base64, or an address that the upstream fetches. */
export type MediaSource =
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string };

/** `data:<media type>;base64,<data>` (RFC 2397); the media type may have parameters, which no provider takes. */
const DATA_URL = /^data:([^;,]+)(?:;[^;,]*)*;base64,(.*)$/is;

/** The bytes of a data URL; any other URL is an address. */
export function sourceOf(url: string): MediaSource {
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  if (mediaType === undefined || data === undefined) return { kind: 'url', url };
  return { kind: 'base64', mediaType: mediaType.toLowerCase(), data };
}

/** The source as one URL. */
export const urlOf = (source: MediaSource): string =>
  source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;

/** The one type of document that every protocol with documents has (RFC 8118). */
export const PDF = 'application/pdf';

const PDF_URL = /^data:application\/pdf;base64,/i;

/** Returns whether a text is the data URL of a PDF. */
export function isPdfUrl(url: string): boolean {
  const opening = PDF_URL.exec(url)?.[0];
  return opening !== undefined && isBase64(url.slice(opening.length));
}

const FILE_URL = /^data:[a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64};base64,/i;
const IMAGE_URL = /^data:image\/[a-z0-9.+-]{1,64};base64,/i;

/** Returns whether a text is the bytes of a file, in a URL or alone, and not another text in their place. */
export const isFileBytes = (text: string): boolean => isBase64(text.replace(FILE_URL, ''));

/** The location of an image's bytes in base64: in a data URL, or in a separate field. */
export type ImageField = 'url' | 'data';

/** Returns the bytes of an image in base64, from a URL or a plain value. Undefined for any other text. */
export function imageBytesOf(text: string, at: ImageField): string | undefined {
  const opening = at === 'url' ? IMAGE_URL.exec(text)?.[0] : '';
  const bytes = opening === undefined ? '' : text.slice(opening.length);
  return isBase64(bytes) ? bytes : undefined;
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
