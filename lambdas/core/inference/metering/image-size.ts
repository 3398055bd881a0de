/**
 * Width and height of an image from its base64 text. Only the heads of its segments are decoded, wherever they lie, so
 * that a photograph of megabytes costs as little as a small one. A size is given only where every decoder sees the
 * same one: a file that is cut short, names two sizes or hides one is of unknown size.
 *
 * Orientation (Exif) is not read: it swaps the sides, and no vendor's rule depends on which side is which. Of several
 * frames the vendors read the first (Claude API docs, Vision, Supported formats) or none (OpenAI docs, Images and
 * vision: no animated GIF).
 */
import { type Bytes, bytesOfBase64 } from '../upstream/base64.ts';

export interface ImageSize {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Segments that are walked before a file counts as one of unknown size; a photograph has some tens. */
const MAX_SEGMENTS = 1_024;

/** The size of a PNG, JPEG, GIF or WebP file; undefined for any other text. The text must be base64 without blanks. */
export function imageSizeOf(base64: string): ImageSize | undefined {
  const bytes = bytesOfBase64(base64);
  const magic = bytes.text(0, 12);
  if (magic.startsWith('\x89PNG\r\n\x1a\n')) return sizeOfPng(bytes);
  if (magic.startsWith('\xff\xd8\xff')) return sizeOfJpeg(bytes);
  if (/^GIF8[79]a/.test(magic)) return sizeOfGif(bytes);
  if (/^RIFF.{4}WEBP/s.test(magic)) return sizeOfWebp(bytes);
  return undefined;
}

/** The name of a chunk as the number that its four letters make. */
const tag = (name: string): number =>
  [...name].reduce((number, letter) => number * 256 + letter.charCodeAt(0), 0);

const sizeFrom = (width: number, height: number): ImageSize | undefined =>
  width > 0 && height > 0 ? { width, height } : undefined;

const IHDR = tag('IHDR');
const IDAT = tag('IDAT');

/**
 * PNG (W3C PNG Specification, 5.3 Chunk layout, 11.2.1 IHDR). Some decoders take the last header before the pixels, so
 * that there must be one only.
 */
function sizeOfPng(bytes: Bytes): ImageSize | undefined {
  let size: ImageSize | undefined;
  let offset = 8;
  for (let chunk = 0; chunk < MAX_SEGMENTS; chunk += 1) {
    const length = bytes.unsigned(offset, 4);
    const type = bytes.unsigned(offset + 4, 4);
    if (type === IDAT) return size;
    if (length < 0 || (type === IHDR) !== (chunk === 0)) return undefined;
    if (chunk === 0) size = sizeFrom(bytes.unsigned(offset + 8, 4), bytes.unsigned(offset + 12, 4));
    offset += 12 + length;
  }
  return undefined;
}

/** Markers without a length: TEM, and the restarts (ITU-T T.81, table B.1). */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);

/** Start of frame: all of C0 to CF but the tables' and the extension's (ITU-T T.81, table B.1). */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** JPEG (ITU-T T.81, annex B): the one frame before the first scan, behind whatever applications have put there. */
function sizeOfJpeg(bytes: Bytes): ImageSize | undefined {
  let size: ImageSize | undefined;
  let offset = 2;
  for (let segment = 0; segment < MAX_SEGMENTS; segment += 1) {
    const marker = bytes.unsigned(offset + 1, 1);
    if (bytes.unsigned(offset, 1) !== 0xff || marker === END_OF_IMAGE) return undefined;
    if (marker === START_OF_SCAN) return size;
    // Any number of FF may fill up before a marker.
    if (marker === 0xff) offset += 1;
    else if (isBare(marker)) offset += 2;
    else {
      const length = bytes.unsigned(offset + 2, 2);
      if (length < 2 || (isFrame(marker) && size !== undefined)) return undefined;
      if (isFrame(marker)) {
        size = sizeFrom(bytes.unsigned(offset + 7, 2), bytes.unsigned(offset + 5, 2));
        if (size === undefined) return undefined;
      }
      offset += 2 + length;
    }
  }
  return undefined;
}

const EXTENSION = 0x21;
const IMAGE_DESCRIPTOR = 0x2c;

/**
 * GIF (GIF89a Specification, 18 Logical Screen Descriptor, 20 Image Descriptor). Some decoders see the screen, others
 * the first frame, so that the two must be of one size.
 */
function sizeOfGif(bytes: Bytes): ImageSize | undefined {
  const size = gifSides(bytes, 6);
  const flags = bytes.unsigned(10, 1);
  let offset = 13 + ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  for (let step = 0; step < MAX_SEGMENTS; step += 1) {
    const kind = bytes.unsigned(offset, 1);
    if (kind === IMAGE_DESCRIPTOR) {
      const isAtOrigin = bytes.unsigned(offset + 1, 4) === 0;
      return isAtOrigin && isSame(size, gifSides(bytes, offset + 5)) ? size : undefined;
    }
    if (kind !== EXTENSION) return undefined;
    offset += 2;
    // Blocks of data, each behind its length, up to an empty one.
    for (let length = -1; length !== 0 && step < MAX_SEGMENTS; step += 1) {
      length = Math.max(0, bytes.unsigned(offset, 1));
      offset += 1 + length;
    }
  }
  return undefined;
}

const gifSides = (bytes: Bytes, offset: number): ImageSize | undefined =>
  sizeFrom(bytes.littleUnsigned(offset, 2), bytes.littleUnsigned(offset + 2, 2));

const isSame = (one: ImageSize | undefined, other: ImageSize | undefined): boolean =>
  one !== undefined && one.width === other?.width && one.height === other.height;

/**
 * WebP (RFC 9649, sections 2.5 to 2.7): the picture, which must have the size of its canvas where there is one; of an
 * animation the first frame.
 */
function sizeOfWebp(bytes: Bytes): ImageSize | undefined {
  let canvas: ImageSize | undefined;
  let offset = 12;
  for (let chunk = 0; chunk < MAX_SEGMENTS; chunk += 1) {
    const type = bytes.unsigned(offset, 4);
    const picture = WEBP_PICTURES.get(type);
    if (picture !== undefined) {
      const size = picture(bytes, offset + 8);
      return chunk === 0 || isSame(canvas, size) ? size : undefined;
    }
    if (chunk === 0 && type === VP8X) canvas = webpSides(bytes, offset + 12);
    const length = bytes.littleUnsigned(offset + 4, 4);
    if (canvas === undefined || length < 0) return undefined;
    offset += 8 + length + (length % 2);
  }
  return undefined;
}

/** Both sides less one, in three bytes each. */
function webpSides(bytes: Bytes, offset: number): ImageSize | undefined {
  const height = bytes.littleUnsigned(offset + 3, 3);
  return height < 0 ? undefined : sizeFrom(bytes.littleUnsigned(offset, 3) + 1, height + 1);
}

const VP8X = tag('VP8X');

/** The chunks that hold a picture, each with how its size stands there. */
const WEBP_PICTURES: ReadonlyMap<number, (bytes: Bytes, body: number) => ImageSize | undefined> = new Map([
  /** A frame of an animation, which has its place on the canvas before its size. */
  [tag('ANMF'), (bytes, body) => (bytes.unsigned(body, 6) === 0 ? webpSides(bytes, body + 6) : undefined)],
  /** RFC 9649, section 3.4. */
  [
    tag('VP8L'),
    (bytes, body) => {
      const sides = bytes.littleUnsigned(body + 1, 4);
      if (bytes.unsigned(body, 1) !== 0x2f || sides < 0) return undefined;
      return sizeFrom((sides & 0x3fff) + 1, ((sides >>> 14) & 0x3fff) + 1);
    },
  ],
  /** A key frame (RFC 6386, section 9.1); the upper two bits of a side ask for a scaled display. */
  [
    tag('VP8 '),
    (bytes, body) => {
      const [width, height] = [bytes.littleUnsigned(body + 6, 2), bytes.littleUnsigned(body + 8, 2)];
      const isKeyFrame = (bytes.unsigned(body, 1) & 1) === 0 && bytes.unsigned(body + 3, 3) === 0x9d012a;
      return isKeyFrame && height >= 0 ? sizeFrom(width & 0x3fff, height & 0x3fff) : undefined;
    },
  ],
]);
