/**
 * The engines of the local malware protection: ClamAV's daemon where one listens, else the signature of EICAR's test file,
 * which is no malware scan. Source of the protocol: ClamAV documentation, clamd(8), INSTREAM.
 */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspectArchive } from '../../../../lambdas/marketplace/core/builds/inspection.ts';
import type { ScanResult } from '../../../../lambdas/marketplace/core/builds/scans.ts';

interface EngineResult {
  readonly status: ScanResult;
  readonly threats: readonly string[];
}

export interface ScanEngine {
  readonly name: 'clamav' | 'test-signature';
  scan(file: Buffer): Promise<EngineResult>;
}

/** The path that Debian's package sets (clamd.conf(5), LocalSocket). */
const USUAL_SOCKET = '/var/run/clamav/clamd.ctl';

/** Chooses ClamAV if its socket exists. */
export function chooseEngine(socket: string = USUAL_SOCKET): ScanEngine {
  return existsSync(socket) ? createClamav(socket) : TEST_SIGNATURE;
}

/** EICAR's test file, reversed, so that no scanner reports this source. */
const SIGNATURE = Buffer.from(
  '*H+H$!ELIF-TSET-SURIVITNA-DRADNATS-RACIE$}7)CC7)^P(45XZP\\4[PA@%P!O5X'.split('').reverse().join(''),
);

export const TEST_SIGNATURE: ScanEngine = {
  name: 'test-signature',
  async scan(file) {
    let isFound = file.includes(SIGNATURE);
    const observe = () => {
      let end: Buffer = Buffer.alloc(0);
      return (chunk: Buffer) => {
        const seam = Buffer.concat([end, chunk.subarray(0, SIGNATURE.length)]);
        isFound ||= chunk.includes(SIGNATURE) || seam.includes(SIGNATURE);
        end = Buffer.from(chunk.subarray(-SIGNATURE.length + 1));
      };
    };
    // An archive that the inspection rejects is scanned up to there, as scanners do with what they cannot open.
    await inspectArchive(file, { observe });
    return isFound
      ? { status: 'THREATS_FOUND', threats: ['EICAR-Test-File'] }
      : { status: 'NO_THREATS_FOUND', threats: [] };
  },
};

const CHUNK = 1024 * 1024;

const createClamav = (socket: string): ScanEngine => ({
  name: 'clamav',
  async scan(file) {
    const connection = connect(socket);
    connection.write('zINSTREAM\0');
    for (let position = 0; position < file.length; position += CHUNK) {
      const chunk = file.subarray(position, position + CHUNK);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(chunk.length);
      connection.write(length);
      connection.write(chunk);
    }
    connection.write(Buffer.alloc(4));
    return resultOf((await text(connection)).replace(/\0$/, ''));
  },
});

function resultOf(reply: string): EngineResult {
  if (reply === 'stream: OK') return { status: 'NO_THREATS_FOUND', threats: [] };
  const threat = /^stream: (.+) FOUND$/.exec(reply)?.[1];
  if (threat === undefined) throw new Error('clamd reports an error');
  // Alerts of limits and of encryption are no threats: clamd.conf(5), AlertExceedsMax and AlertEncrypted.
  if (/^Heuristics\.(Limits|Encrypted)\./.test(threat)) return { status: 'UNSUPPORTED', threats: [] };
  return { status: 'THREATS_FOUND', threats: [threat] };
}
