/** Pictures of a simulated model: noise that depends on the seed alone, as real PNG (W3C PNG specification). */
import { createCipheriv, createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BYTES_PER_PIXEL = 3;

const uint32 = (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

/** A picture of exactly that size; it compresses as little as a photograph. */
export function paint(seed: string, width: number, height: number): Buffer {
  const key = createHash('sha256').update(`picture ${seed}`).digest();
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), key.subarray(16));
  const stride = 1 + width * BYTES_PER_PIXEL;
  const pixels = cipher.update(Buffer.alloc(stride * height));
  // Each row begins with its filter: none.
  for (let row = 0; row < height; row += 1) pixels[row * stride] = 0;
  return Buffer.concat([
    SIGNATURE,
    // Bit depth 8, colour type 2 (RGB), deflate, no interlace.
    chunk('IHDR', Buffer.concat([uint32(width), uint32(height), Buffer.from([8, 2, 0, 0, 0])])),
    chunk('IDAT', deflateSync(pixels, { level: 0 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
