import { expect, it } from '@jest/globals';
import { webAddress } from './web-address.ts';

it.each([
  ['https://example.com/pay?a=1#b', 'https://example.com/pay?a=1#b'],
  [' HTTP://Example.com ', 'http://example.com/'],
])('a link opens %s', (text, address) => {
  expect(webAddress(text)).toBe(address);
});

it.each([
  'javascript:alert(1)',
  ' JavaScript:alert(1)//https://example.com',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'blob:https://example.com/1',
  'file:///etc/passwd',
  '//example.com',
  'example.com',
  '',
])('a link does not open %j', (text) => {
  expect(webAddress(text)).toBeUndefined();
});
