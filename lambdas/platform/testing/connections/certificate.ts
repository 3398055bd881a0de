/** A certificate that nobody has signed but itself (RFC 5280), made anew so that no private key is kept. */
import { generateKeyPairSync, sign } from 'node:crypto';

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const integer = (...bytes: readonly number[]) => der(0x02, Buffer.from(bytes));

/** 1.2.840.10045.4.3.2: ECDSA with SHA-256. */
const ALGORITHM = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));

/** 2.5.4.3: the common name. */
const nameOf = (text: string) =>
  sequence(der(0x31, sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(text)))));

const time = (text: string) => der(0x17, Buffer.from(text));

export function selfSigned(host: string): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = nameOf(host);
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ALGORITHM,
    name,
    sequence(time('250101000000Z'), time('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = sequence(body, ALGORITHM, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}
