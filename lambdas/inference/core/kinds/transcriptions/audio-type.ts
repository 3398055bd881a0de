/** The audio type of a file, detected from its name and its first bytes, which must agree. */
import { ServiceError } from '../../../../platform/core/errors.ts';
import type { UploadedFile } from '../../../../platform/core/upload.ts';

export type AudioExtension = 'mp3' | 'wav' | 'm4a' | 'flac' | 'ogg' | 'webm';

export interface AudioType {
  readonly extension: AudioExtension;
  readonly mimeType: string;
}

interface Format extends AudioType {
  /** Returns whether a file of this type can start with these bytes. */
  readonly canStartWith: (head: Buffer) => boolean;
}

const HEAD_BYTES = 8_192;

const at = (head: Buffer, offset: number, text: string) =>
  head.toString('latin1', offset, offset + text.length) === text;

/** Detects a tag that may precede the audio of formats without a native tag (id3.org, ID3v2). */
const tagged = (head: Buffer) => at(head, 0, 'ID3');

/** Somewhere near the start, because encoders pad: 11 set bits, then a version and a layer that exist. */
function hasMpegFrame(head: Buffer): boolean {
  for (let index = head.indexOf(0xff); index !== -1; index = head.indexOf(0xff, index + 1)) {
    const next = head[index + 1] ?? 0;
    if ((next & 0xe0) === 0xe0 && (next & 0x18) !== 0x08 && (next & 0x06) !== 0) return true;
  }
  return false;
}

/** Top-level boxes that a file may start with (ISO 14496-12, section 4.2). */
const BOXES = ['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'styp'];

/** Interface, Limits: the accepted extensions. */
const FORMATS: readonly Format[] = [
  {
    extension: 'mp3',
    mimeType: 'audio/mpeg',
    // The samples of any other format may look like a frame.
    canStartWith: (head) => tagged(head) || (!hasOtherSignature(head) && hasMpegFrame(head)),
  },
  {
    extension: 'wav',
    mimeType: 'audio/wav',
    canStartWith: (head) => (at(head, 0, 'RIFF') || at(head, 0, 'RF64')) && at(head, 8, 'WAVE'),
  },
  { extension: 'm4a', mimeType: 'audio/mp4', canStartWith: (head) => BOXES.some((box) => at(head, 4, box)) },
  { extension: 'flac', mimeType: 'audio/flac', canStartWith: (head) => at(head, 0, 'fLaC') || tagged(head) },
  { extension: 'ogg', mimeType: 'audio/ogg', canStartWith: (head) => at(head, 0, 'OggS') },
  { extension: 'webm', mimeType: 'audio/webm', canStartWith: (head) => at(head, 0, '\x1a\x45\xdf\xa3') },
];

const hasOtherSignature = (head: Buffer): boolean =>
  FORMATS.some(({ extension, canStartWith }) => extension !== 'mp3' && canStartWith(head));

const EXTENSIONS = FORMATS.map(({ extension }) => extension).join(', ');

/**
 * Returns the type of the audio. Throws 400 `unsupported_file_type` for another extension and for content that does not
 * match the extension. Throws `invalid_value` for an empty file.
 */
export async function requireAudio({ name, content }: UploadedFile): Promise<AudioType> {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  const format = FORMATS.find((candidate) => candidate.extension === extension);
  const toRejection = (message: string) =>
    new ServiceError('unsupported_file_type', message, { param: 'file' });
  if (format === undefined) throw toRejection(`file must have one of the extensions ${EXTENSIONS}.`);
  if (content.size === 0) throw new ServiceError('invalid_value', 'file is empty.', { param: 'file' });
  const head = Buffer.from(await content.slice(0, HEAD_BYTES).arrayBuffer());
  if (format.canStartWith(head)) return format;
  const real = FORMATS.find(({ canStartWith }) => canStartWith(head))?.extension;
  const mismatch = real === undefined ? 'its content is in no accepted format' : `its content is ${real}`;
  throw toRejection(`file is named .${format.extension}, but ${mismatch}.`);
}
