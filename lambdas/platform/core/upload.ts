/** A form that is read to a file on disk. */

import type { HttpRequest } from './ports.ts';

/** A form with its one file, read to the end. Nothing of it is left once it is disposed of. */
export interface Upload {
  /** In the order in which they were sent; a name may stand more than once. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Undefined when the form has none. */
  readonly file: UploadedFile | undefined;
  dispose(): Promise<void>;
}

/** A file on disk. */
export interface SpooledFile {
  /** The content, read from disk on demand, any number of times. */
  readonly content: Blob;
  /** Hex. */
  readonly sha256: string;
  dispose(): Promise<void>;
}

export interface UploadedFile extends Omit<SpooledFile, 'dispose'> {
  readonly name: string;
}

/** Reads a form. Throws `ServiceError` for one that is malformed, too large, or has two files. */
export type ReceiveUpload = (request: HttpRequest) => Promise<Upload>;
