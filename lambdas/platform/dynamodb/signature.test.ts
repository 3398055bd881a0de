import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect } from '@jest/globals';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { createJsonSigner, type JsonService } from './signature.ts';

/** The SDK's own. */
const SHA256 = new DynamoDBClient({ region: 'us-east-1' }).config.sha256;

const label = fc.stringMatching(/^[a-z0-9-]{1,20}$/);
const secret = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);
const credentials = fc.record(
  { accessKeyId: fc.stringMatching(/^[A-Z0-9]{1,20}$/), secretAccessKey: secret, sessionToken: secret },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
);
const service: fc.Arbitrary<JsonService> = fc.record({
  name: label,
  contentType: fc.constantFrom('application/x-amz-json-1.0', 'application/x-amz-json-1.1'),
});
const call = fc.record({
  credentials,
  target: fc.stringMatching(/^[A-Za-z0-9_.]{1,40}$/),
  body: fc.string({ unit: 'grapheme' }),
  now: fc.date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
});

describe('the signature of a request', () => {
  it('matches that of the AWS library if the signer has already used other secrets and days', async () => {
    await fc.assert(
      fc.asyncProperty(
        label,
        label,
        service,
        fc.array(call, { minLength: 1, maxLength: 4 }),
        async (name, region, { name: signedFor, contentType }, calls) => {
          const host = `${name}.test:8000`;
          const sign = createJsonSigner({ name: signedFor, contentType }, host, region);
          for (const { target, body, now, ...each } of calls) {
            const signedRequest = sign({ target, body }, each.credentials, now);
            const headers = Object.fromEntries(
              Array.from({ length: signedRequest.length / 2 }, (_, index) => [
                signedRequest[2 * index],
                signedRequest[2 * index + 1] ?? '',
              ]),
            );
            expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
            const library = new SignatureV4({
              service: signedFor,
              region,
              credentials: each.credentials,
              sha256: SHA256,
              applyChecksum: false,
            });
            const unsigned = { host, 'content-type': contentType, 'x-amz-target': target };
            const expected = await library.sign(
              {
                method: 'POST',
                protocol: 'https:',
                hostname: name,
                path: '/',
                query: {},
                headers: unsigned,
                body,
              },
              { signingDate: now },
            );
            const { 'content-length': _length, ...signed } = headers;
            expect(signed).toEqual(expected.headers);
          }
        },
      ),
    );
  });
});
