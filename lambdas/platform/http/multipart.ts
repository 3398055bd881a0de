/** A multipart form read as a stream: its fields into memory, its one file onto disk. */

import { CallerLeft, ServiceError } from '../core/errors.ts';
import { requirePlainBody } from '../core/json/json-body.ts';
import type { HttpRequest } from '../core/ports.ts';
import type { ReceiveUpload, SpooledFile, Upload } from '../core/upload.ts';
import { boundaryOf, type FormField, malformed, partsOf } from './form-parts.ts';

/** Writes bytes as they come, and holds none of them in memory. */
type Spool = (bytes: AsyncIterable<Uint8Array>) => Promise<SpooledFile>;

export interface MultipartOptions {
  readonly spool: Spool;
  /** The largest file that is taken. */
  readonly maxFileBytes: number;
  /** Returns the error for a larger file. */
  readonly tooLarge: () => ServiceError;
}

/** Prompts are sentences; more than this is a file in the wrong place. */
const FIELD_BYTES = 64 * 1024;
const MAX_PARTS = 64;

const FILE_FIELD = 'file';

/** The encodings that fields may use (RFC 7578, section 4.4). Nearly all are UTF-8 without a declaration. */
const ENCODINGS: Readonly<Record<string, BufferEncoding>> = {
  'utf-8': 'utf8',
  'us-ascii': 'utf8',
  'iso-8859-1': 'latin1',
};

const rejectionOf = (message: string, param: string) => new ServiceError('invalid_value', message, { param });

/** The content of a form that has been read so far. Its sender receives the first error that was detected. */
class Form {
  readonly #options: MultipartOptions;
  readonly #fields: [string, string][] = [];
  #problem: ServiceError | undefined;
  #name = '';
  #file: SpooledFile | undefined;
  #fieldCount = 0;

  constructor(options: MultipartOptions) {
    this.#options = options;
  }

  /** Reads the field to its end, and stores it if it is wanted. Throws 400 at once for one field too many. */
  async add({ head, content }: FormField): Promise<void> {
    const { name, fileName, charset = 'utf-8' } = head;
    this.#fieldCount += 1;
    if (this.#fieldCount > MAX_PARTS)
      throw rejectionOf(`The form has more than ${MAX_PARTS} parts.`, FILE_FIELD);
    if (name === '') this.#reject('Each part of the form needs a name.', FILE_FIELD);
    else if (fileName !== undefined) return this.#takeFile(name, fileName, content);
    else return this.#takeField(name, ENCODINGS[charset], content);
    return skip(content);
  }

  async #takeField(
    name: string,
    encoding: BufferEncoding | undefined,
    content: AsyncIterable<Buffer>,
  ): Promise<void> {
    const buffers: Buffer[] = [];
    let bytes = 0;
    for await (const buffer of content) {
      bytes += buffer.length;
      if (bytes <= FIELD_BYTES) buffers.push(buffer);
    }
    if (bytes > FIELD_BYTES) this.#reject(`${name} is longer than ${FIELD_BYTES} bytes.`, name);
    else if (encoding === undefined) this.#reject(`${name} is not in UTF-8.`, name);
    else this.#fields.push([name, Buffer.concat(buffers).toString(encoding)]);
  }

  async #takeFile(field: string, name: string, content: AsyncIterable<Buffer>): Promise<void> {
    if (field !== FILE_FIELD) this.#reject(`A file is taken in the field "${FILE_FIELD}" alone.`, field);
    else if (this.#file !== undefined) this.#reject('The form has more than one file; send one.', FILE_FIELD);
    if (this.#problem !== undefined) return skip(content);
    this.#name = name;
    this.#file = await this.#options.spool(this.#bounded(content));
  }

  /** Yields the content up to the limit. The bytes beyond it are read and not written. */
  async *#bounded(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    const { maxFileBytes, tooLarge } = this.#options;
    let bytes = 0;
    for await (const buffer of content) {
      bytes += buffer.length;
      if (bytes <= maxFileBytes) yield buffer;
      else this.#problem ??= tooLarge();
    }
  }

  #reject(message: string, param: string): void {
    this.#problem ??= rejectionOf(message, param);
  }

  /** Returns the upload. Throws the first error of the form. */
  toUpload(): Upload {
    if (this.#problem !== undefined) throw this.#problem;
    const file = this.#file;
    return {
      fields: this.#fields,
      file: file === undefined ? undefined : { ...file, name: this.#name },
      dispose: async () => file?.dispose(),
    };
  }

  /** Removes the file, and returns the error that the sender gets. */
  async fail(failure: unknown): Promise<unknown> {
    await this.#file?.dispose();
    return failure instanceof ServiceError ? (this.#problem ?? failure) : failure;
  }
}

async function skip(content: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of content);
}

/**
 * Yields the bytes of the body. If the host rejects a body, the file in it was too large. A body of a host that reports
 * no reason is not complete.
 */
async function* bytesOf(
  { body }: HttpRequest,
  tooLarge: () => ServiceError,
): AsyncGenerator<Uint8Array, void> {
  try {
    if (body !== null) yield* body;
  } catch (failure) {
    if (failure instanceof CallerLeft) throw failure;
    if (!(failure instanceof ServiceError)) throw malformed();
    throw failure.code === 'request_too_large' ? tooLarge() : failure;
  }
}

/**
 * Returns a reader of forms; see `ReceiveUpload`. A rejected form is read to its end, because its sender reads no
 * response before. A form that is malformed, or has endless fields, is abandoned. Rethrows errors of writing the file
 * unchanged.
 */
export function createUploadReader(options: MultipartOptions): ReceiveUpload {
  return async (request) => {
    requirePlainBody(request.headers);
    const boundary = boundaryOf(request.headers.get('content-type') ?? '');
    const form = new Form(options);
    try {
      for await (const field of partsOf(bytesOf(request, options.tooLarge), boundary)) await form.add(field);
      return form.toUpload();
    } catch (failure) {
      throw await form.fail(failure);
    }
  };
}
