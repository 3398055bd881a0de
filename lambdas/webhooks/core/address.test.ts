import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { isLoopbackAddress, isPublicAddress } from '../../platform/core/address.ts';
import { FORBIDDEN_HOSTS } from '../testing/forbidden-hosts.ts';
import { checkTarget, parseTarget } from './target.ts';

const ALLOWED_HOSTS = [
  '8.8.8.8',
  '1.1.1.1',
  '93.184.216.34',
  '134744072',
  '[2606:4700:4700::1111]',
  '[2a00:1450::1]',
];

const rejected = (url: string): unknown => {
  try {
    return parseTarget(url, false).href;
  } catch (failure) {
    return failure;
  }
};

describe('a subscription', () => {
  it('fails in these tests for at least 80 addresses of private networks', () => {
    expect(new Set(FORBIDDEN_HOSTS).size).toBeGreaterThanOrEqual(80);
  });

  it.each(FORBIDDEN_HOSTS)('fails if its host is %s', (host) => {
    const rejection = { code: 'invalid_value', status: 400, param: 'url' };
    expect(rejected(`https://${host}/hook`)).toMatchObject(rejection);
    expect(rejected(`https://${host}:8443/hook`)).toMatchObject(rejection);
  });

  it.each(ALLOWED_HOSTS)('accepts the host %s', (host) => {
    expect(rejected(`https://${host}/hook`)).toContain('https://');
  });

  it.each([
    ['http://example.com/hook', 'https'],
    ['ftp://example.com/hook', 'https'],
    ['file:///etc/passwd', 'https'],
    ['https://user:secret@example.com/hook', 'credentials'],
    ['https://user@example.com/hook', 'credentials'],
    ['https://:secret@example.com/hook', 'credentials'],
    ['example.com/hook', 'URL'],
    ['', 'URL'],
    ['https://', 'URL'],
    [`https://example.com/${'a'.repeat(2100)}`, 'URL'],
    ['https://[::1%25lo]/', 'URL'],
  ])('fails if its URL is %s', (url, reason) => {
    expect(rejected(url)).toMatchObject({ code: 'invalid_value', message: expect.stringContaining(reason) });
  });

  it.each([
    [['10.0.0.1']],
    [['93.184.216.34', '127.0.0.1']],
    [['2606:4700:4700::1111', '::ffff:10.0.0.1']],
    [['not an address']],
  ])('fails if any address of its host is forbidden: %j', async (addresses) => {
    await expect(checkTarget('https://example.com/', false, async () => addresses)).rejects.toMatchObject({
      code: 'invalid_value',
    });
  });

  it('accepts a name without an address, because each delivery resolves the name again', async () => {
    expect(await checkTarget('https://example.com', false, async () => [])).toBe('https://example.com/');
  });
});

describe('the setting for loopback addresses', () => {
  it.each(['127.0.0.1', '127.1', '[::1]', 'localhost'])('accepts %s on a developer’s machine', (host) => {
    expect(parseTarget(`http://${host}:9000/`, true).protocol).toBe('http:');
  });

  it.each([
    'http://10.0.0.1/',
    'http://example.com/',
    'https://169.254.169.254/',
    'http://[::ffff:10.0.0.1]/',
  ])('allows no other address: %s', (url) => {
    expect(() => parseTarget(url, true)).toThrow();
  });
});

describe('an address', () => {
  it('belongs to at most one of the public internet and this machine', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        expect(isPublicAddress(text) && isLoopbackAddress(text)).toBe(false);
      }),
    );
  });

  it('counts as non-public if it is an IPv6 address that contains any IPv4 address', () => {
    const carriers = ['::ffff:', '::', '::ffff:0:', '64:ff9b::'];
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom(...carriers), (address, carrier) => {
        expect(isPublicAddress(`${carrier}${address}`)).toBe(false);
      }),
    );
  });
});

describe('an address of this machine', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['::ffff:8.8.8.8', false],
    ['8.8.8.8', false],
    ['localhost', false],
  ])('counts as such in any notation: %s', (text, isLoopback) => {
    expect(isLoopbackAddress(text)).toBe(isLoopback);
  });
});
