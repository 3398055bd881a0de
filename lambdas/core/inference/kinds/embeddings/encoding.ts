/** The two encodings of an embedding: numbers, or base64 of little-endian 32-bit floats (OpenAI API reference). */
import { isBase64 } from '../../upstream/sources.ts';

export type Embedding = readonly number[] | string;

const BYTES_PER_FLOAT = 4;

export function toBase64(embedding: Embedding): string {
  if (typeof embedding === 'string') return embedding;
  const bytes = Buffer.alloc(embedding.length * BYTES_PER_FLOAT);
  embedding.forEach((value, index) => {
    bytes.writeFloatLE(value, index * BYTES_PER_FLOAT);
  });
  return bytes.toString('base64');
}

export function toFloats(embedding: Embedding): readonly number[] {
  if (typeof embedding !== 'string') return embedding;
  const bytes = Buffer.from(embedding, 'base64');
  return Array.from({ length: bytes.length / BYTES_PER_FLOAT }, (_, index) =>
    bytes.readFloatLE(index * BYTES_PER_FLOAT),
  );
}

/** Whether a route's value is an embedding in either encoding: some numbers that 32-bit floats can hold. */
export function isEmbedding(value: unknown): value is Embedding {
  if (typeof value !== 'string')
    return Array.isArray(value) && value.length > 0 && value.every((number) => isFloat(number));
  if (value.length % 4 !== 0 || !isBase64(value)) return false;
  return Buffer.from(value, 'base64').length % BYTES_PER_FLOAT === 0 && toFloats(value).every(isFloat);
}

const isFloat = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(Math.fround(value));
