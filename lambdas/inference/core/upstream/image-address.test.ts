import { describe, expect, it } from '@jest/globals';
import { requirePublicImages } from '../completions/forwarded-fields.ts';

describe('the address of an image that an upstream fetches', () => {
  it.each([
    'https://example.com/a.png',
    'HTTP://EXAMPLE.com:8080/a.png?b=c',
    'https://8.8.8.8/a.png',
    'data:image/png;base64,QUJD',
  ])('passes validation as %s', (url) => {
    expect(() => requirePublicImages(['https://example.com/', url])).not.toThrow();
  });

  it.each([
    'http://127.0.0.1/a.png',
    'http://2130706433/a.png',
    'http://0x7f.1/a.png',
    'http://[::1]/a.png',
    'http://[::ffff:10.0.0.1]/a.png',
    'http://169.254.169.254/latest/meta-data',
    'http://10.1.2.3/a.png',
    'http://localhost:8000/a.png',
    'http://a.localhost./a.png',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://printer.local/a.png',
    'http://intranet/a.png',
    'http://',
    'https:///',
  ])('fails validation as %s', (url) => {
    expect(() => requirePublicImages(['https://example.com/', url])).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'messages' }),
    );
  });
});
