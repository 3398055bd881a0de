/** The parts of a multipart form, one after another, as their bytes come (RFC 7578, RFC 2046 section 5.1). */
import { ServiceError } from '../core/errors.ts';

/** The headers of a form field, which are read before its content. */
interface PartHead {
  /** Empty when the part has none. */
  readonly name: string;
  /** Undefined for a field, which has no file name and is not of unknown type. */
  readonly fileName: string | undefined;
  /** Lower case; undefined when the part does not say. */
  readonly charset: string | undefined;
}

export interface FormField {
  readonly head: PartHead;
  /** The content, to be read to its end before the next field is requested. */
  readonly content: AsyncIterable<Buffer>;
}

/** A part has three headers, and the longest of them a name. */
const HEAD_BYTES = 16 * 1024;

/** The minimum number of bytes that are searched and passed on at once. */
const MIN_READ_BYTES = 16 * 1024;

const CRLF = '\r\n';
const EMPTY: Buffer = Buffer.alloc(0);

export const malformed = () =>
  new ServiceError(
    'invalid_value',
    'The form is malformed or not complete: its parts do not end as its boundary says.',
    { param: 'file' },
  );

/** The boundary that a content type names. Throws 400 for another type, and for a boundary that there cannot be. */
export function boundaryOf(contentType: string): string {
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    const message = 'Send the body as a form with "Content-Type: multipart/form-data".';
    throw new ServiceError('unsupported_media_type', message);
  }
  const boundary = parametersOf(contentType).get('boundary') ?? '';
  if (!/^[\x20-\x7e]{1,70}$/.test(boundary)) throw malformed();
  return boundary;
}

/** The parameters after a header's value, the first of each name; names in lower case. */
function parametersOf(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of header.matchAll(
    /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g,
  )) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(["\\])/g, '$1') ?? plain);
  }
  return parameters;
}

/** A value as RFC 8187 writes it: `utf-8''` and percent signs. */
function extended(value: string | undefined): string | undefined {
  const [, text] = /^utf-8'[^']*'(.*)$/i.exec(value ?? '') ?? [];
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}

function headOf(bytes: Buffer): PartHead {
  const headers = new Map<string, string>();
  for (const line of bytes.toString('utf8').split(CRLF)) {
    const [, name = '', value = ''] = /^([^\s:]+):\s*(.*)$/s.exec(line) ?? [];
    if (line !== '' && name === '') throw malformed();
    headers.set(name.toLowerCase(), value);
  }
  const disposition = headers.get('content-disposition') ?? '';
  if (!/^form-data\s*(;|$)/i.test(disposition)) throw malformed();
  const parameters = parametersOf(disposition);
  const type = headers.get('content-type') ?? '';
  const fileName = extended(parameters.get('filename*')) ?? parameters.get('filename');
  return {
    name: extended(parameters.get('name*')) ?? parameters.get('name') ?? '',
    fileName: /^application\/octet-stream\b/i.test(type) ? (fileName ?? '') : fileName,
    charset: parametersOf(type).get('charset')?.toLowerCase(),
  };
}

/** Incoming bytes, and those of them that are still unread. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  /** Unread bytes. A line break precedes the first boundary, as it does all others. */
  #unread: Buffer = Buffer.from(CRLF);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Yields the bytes before the delimiter, and also consumes the delimiter. Throws 400 if the end comes first. */
  async *before(delimiter: Buffer): AsyncGenerator<Buffer, void> {
    for (;;) {
      const at = this.#unread.indexOf(delimiter);
      if (at !== -1) {
        const bytes = this.#unread.subarray(0, at);
        this.#unread = this.#unread.subarray(at + delimiter.length);
        if (bytes.length > 0) yield bytes;
        return;
      }
      // The delimiter may have started at the end.
      const sure = Math.max(0, this.#unread.length - delimiter.length + 1);
      const bytes = this.#unread.subarray(0, sure);
      this.#unread = this.#unread.subarray(sure);
      if (bytes.length > 0) yield bytes;
      await this.#readMore();
    }
  }

  /** Returns the next bytes without consuming them. Throws 400 if there are fewer. */
  async next(bytes: number): Promise<string> {
    while (this.#unread.length < bytes) await this.#readMore();
    return this.#unread.toString('latin1', 0, bytes);
  }

  /** Reads to the end and forgets it. */
  async finish(): Promise<void> {
    this.#unread = EMPTY;
    while (!(await this.#source.next()).done);
  }

  /** Waits for enough bytes, even if the body arrives in smaller reads. */
  async #readMore(): Promise<void> {
    const buffers = [this.#unread];
    for (let bytes = 0; bytes < MIN_READ_BYTES; ) {
      const { value, done } = await this.#source.next();
      if (done && bytes === 0) throw malformed();
      if (done) break;
      buffers.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      bytes += value.byteLength;
    }
    this.#unread = Buffer.concat(buffers);
  }
}

async function collect(source: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const collected: Buffer[] = [];
  let bytes = 0;
  for await (const buffer of source) {
    bytes += buffer.length;
    if (bytes > maxBytes) throw malformed();
    collected.push(buffer);
  }
  return Buffer.concat(collected);
}

/**
 * Yields the form's fields, and reads the body after them to its end. Throws `ServiceError` 400 for a form that is
 * malformed or breaks off, and rethrows errors of reading the body unchanged. Uses the memory of one read and the
 * headers of one field.
 */
export async function* partsOf(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormField, void> {
  const reader = new ByteReader(body);
  const delimiter = Buffer.from(`${CRLF}--${boundary}`, 'latin1');
  // Text before the first boundary is for readers whose programs do not support forms.
  for await (const _ of reader.before(delimiter));
  while ((await reader.next(2)) !== '--') {
    if ((await reader.next(2)) !== CRLF) throw malformed();
    const head = headOf(await collect(reader.before(Buffer.from(CRLF + CRLF)), HEAD_BYTES));
    yield { head, content: reader.before(delimiter) };
  }
  await reader.finish();
}
