/** The length that a FLAC file claims (RFC 9639, sections 8.1 and 8.2). */
import { afterTag, claimed, type Length, type ReadLength } from './windows.ts';

/** The signature, a block's header, and the first bytes of the first block. */
const HEADER_BYTES = 4 + 4 + 18;

/** Seconds by a STREAMINFO block; a number of samples of 0 means unknown. */
function lengthOfStreamInfo(info: Buffer): Length | undefined {
  // 20 bits of sample rate, 8 of what a sample is, 36 of the number of samples.
  const packed = info.readBigUInt64BE(10);
  return claimed(Number(packed & 0xf_ffff_ffffn) / Number(packed >> 44n));
}

export const lengthOfFlac: ReadLength = async (file) => {
  const head = await file.from(await afterTag(file), HEADER_BYTES);
  if (head?.toString('latin1', 0, 4) !== 'fLaC' || (head.readUInt8(4) & 0x7f) !== 0) return undefined;
  return lengthOfStreamInfo(head.subarray(8));
};
