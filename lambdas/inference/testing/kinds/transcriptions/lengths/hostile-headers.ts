/** Files that are all header: as many and as small elements as a format allows, in as many bytes as wanted. */
import type { AudioExtension } from '../../../../core/kinds/transcriptions/audio-type.ts';

interface HostileFile {
  readonly name: string;
  readonly extension: AudioExtension;
  make(bytes: number): Buffer<ArrayBuffer>;
}

/** `head`, and then `element` over and over. */
const repeated =
  (head: Buffer | string, element: Buffer | string) =>
  (bytes: number): Buffer<ArrayBuffer> => {
    const start = typeof head === 'string' ? Buffer.from(head, 'latin1') : head;
    const pattern = typeof element === 'string' ? Buffer.from(element, 'latin1') : element;
    return Buffer.concat([start, Buffer.alloc(bytes - start.length, pattern)]);
  };

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

const EBML = hex('1a45dfa3 80');
const SEGMENT_OF_UNKNOWN_SIZE = hex('18538067 01ffffffffffffff');
const FILE_TYPE = hex('00000010 66747970 4d344120 00000000');
const FLAC_INFO = hex(`664c6143 00000022 10001000 000000000000 0fa000f0 00000000 ${'00'.repeat(16)}`);
/** MPEG 2.5, layer III, 8 kbit/s at 12 kHz: the smallest of all frames. */
const SMALLEST_FRAME = Buffer.concat([hex('ffe314c0'), Buffer.alloc(44)]);
const OPUS_PAGE = Buffer.concat([
  hex('4f676753 00 02 0000000000000000 01000000 00000000 00000000 01 13'),
  Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1'),
]);
/** A page of another stream, with nothing on it. */
const EMPTY_PAGE = hex('4f676753 00 00 0000000000000000 02000000 00000000 00000000 00');

const void_ = hex('ec80');

export const HOSTILE_FILES: readonly HostileFile[] = [
  {
    name: 'empty Void elements in a segment',
    extension: 'webm',
    make: repeated(Buffer.concat([EBML, SEGMENT_OF_UNKNOWN_SIZE]), void_),
  },
  {
    name: 'segments in segments',
    extension: 'webm',
    make: repeated(EBML, SEGMENT_OF_UNKNOWN_SIZE),
  },
  { name: 'headers alone', extension: 'webm', make: repeated(EBML, EBML) },
  { name: 'small frames', extension: 'mp3', make: repeated('', SMALLEST_FRAME) },
  { name: 'beginnings of frames that none follows', extension: 'mp3', make: repeated('', hex('ffe314c0')) },
  { name: 'set bits', extension: 'mp3', make: repeated(hex('fffb'), hex('ff')) },
  { name: 'empty free boxes', extension: 'm4a', make: repeated(FILE_TYPE, '\0\0\0\x08free') },
  {
    name: 'boxes that lead far away',
    extension: 'm4a',
    make: repeated(FILE_TYPE, hex('00011000 66726565 00000000 00000000')),
  },
  { name: 'movies in movies', extension: 'm4a', make: repeated(FILE_TYPE, hex('00ffffff 6d6f6f76')) },
  { name: 'empty padding blocks', extension: 'flac', make: repeated(FLAC_INFO, hex('01000000')) },
  { name: 'tags before it', extension: 'flac', make: repeated('', 'ID3\x04\0\0\0\0\0\0') },
  { name: 'empty chunks', extension: 'wav', make: repeated('RIFF\0\0\0\0WAVE', 'LIST\0\0\0\0') },
  {
    name: 'chunks of the largest size',
    extension: 'wav',
    make: repeated('RIFF\0\0\0\0WAVE', 'LIST\xff\xff\xff\xff'),
  },
  { name: 'empty pages of another stream', extension: 'ogg', make: repeated(OPUS_PAGE, EMPTY_PAGE) },
  { name: 'marks of pages alone', extension: 'ogg', make: repeated(OPUS_PAGE, 'OggS') },
];
