/** Pictures of a simulated model: they depend on the seed alone, as real PNG (W3C PNG specification). */
import { createCipheriv, createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BYTES_PER_PIXEL = 3;

const uint32 = (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

type Color = readonly [red: number, green: number, blue: number];

const NIGHT: Color = [24, 34, 84];
const DUSK: Color = [238, 150, 96];
const SEA: Color = [18, 48, 78];
const SUN: Color = [250, 214, 140];

const mixed = (from: Color, to: Color, share: number): Color =>
  from.map((value, at) => value + ((to[at] ?? 0) - value) * share) as unknown as Color;

/** The most that noise adds to a channel: it compresses little, and is hardly seen. */
const NOISE = 15;

/** A sun above the sea at dusk, at a place and with noise of the seed, of exactly that size. */
export function paint(seed: string, width: number, height: number): Buffer {
  const key = createHash('sha256').update(`picture ${seed}`).digest();
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), key.subarray(16));
  const stride = 1 + width * BYTES_PER_PIXEL;
  const pixels = cipher.update(Buffer.alloc(stride * height));
  const horizon = Math.round(height * 0.65);
  const radius = width / 9;
  const centerX = width * (0.25 + (key[0] ?? 0) / 510);
  const centerY = horizon - radius * 0.7;
  for (let row = 0; row < height; row += 1) {
    const sky = row < horizon;
    const color = sky
      ? mixed(NIGHT, DUSK, row / horizon)
      : mixed(DUSK, SEA, Math.sqrt((row - horizon) / height));
    const halfChord = sky ? Math.sqrt(Math.max(0, radius ** 2 - (row - centerY) ** 2)) : 0;
    const start = row * stride;
    // Each row begins with its filter: none.
    pixels[start] = 0;
    for (let column = 0; column < width; column += 1) {
      const shown = Math.abs(column - centerX) < halfChord ? SUN : color;
      const at = start + 1 + column * BYTES_PER_PIXEL;
      for (let channel = 0; channel < BYTES_PER_PIXEL; channel += 1)
        pixels[at + channel] = Math.min(255, (shown[channel] ?? 0) + ((pixels[at + channel] ?? 0) & NOISE));
    }
  }
  return Buffer.concat([
    SIGNATURE,
    // Bit depth 8, colour type 2 (RGB), deflate, no interlace.
    chunk('IHDR', Buffer.concat([uint32(width), uint32(height), Buffer.from([8, 2, 0, 0, 0])])),
    chunk('IDAT', deflateSync(pixels, { level: 0 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
