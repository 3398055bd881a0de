/** Embeddings of a simulated model: unit vectors that depend on the input alone, in exact 32-bit floats. */
import { randomFrom } from './random.ts';

/** Small, so that tests stay quick; a request may ask for another. */
export const DEFAULT_DIMENSIONS = 256;

const RESOLUTION = 1_000_000;

export function embed(input: string, dimensions: number): Float32Array {
  const random = randomFrom(`vector ${input}`);
  const raw = Array.from({ length: dimensions }, () => random.integer(-RESOLUTION, RESOLUTION));
  const length = Math.hypot(...raw) || 1;
  return Float32Array.from(raw, (value) => value / length);
}
