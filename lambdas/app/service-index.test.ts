import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { serviceIndex } from './service-index.ts';

/** The headers of Chromium 142 and Firefox 145. */
const BROWSERS = [
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
];

const typeFor = (accept: string | undefined) =>
  serviceIndex({ headers: new Headers(accept === undefined ? {} : { accept }) }, 'Acme').headers[
    'content-type'
  ];

describe('the index', () => {
  it.each(BROWSERS)('answers a browser with a page: %s', (accept) => {
    const { headers, text } = serviceIndex({ headers: new Headers({ accept }) }, 'Acme & Co');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('<h1>Acme &#38; Co</h1>');
    for (const link of ['console', 'console#/models', 'docs', 'openapi.json'])
      expect(text).toContain(`href="${link}"`);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    const styles = /<style>(.*)<\/style>/s.exec(text)?.[1] ?? '';
    const digest = createHash('sha256').update(styles).digest('base64');
    expect(headers['content-security-policy']).toContain(`style-src 'sha256-${digest}'`);
    expect(text).not.toMatch(/<script|\son\w+=|https?:/);
    expect(headers.vary).toBe('accept');
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/json, text/html;q=0.9',
    'text/*',
    'text/html;q=0',
  ])('answers with JSON for the header %j', (accept) =>
    expect(typeFor(accept)).toMatch(/^application\/json/),
  );
});
