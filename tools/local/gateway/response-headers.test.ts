import { describe, expect, it } from '@jest/globals';
import { leavingHeaders } from './response-headers.ts';

describe("a function's response headers", () => {
  it('leave with their values, those of multiValueHeaders first', () => {
    expect(
      leavingHeaders({
        headers: { 'X-One': 1, 'X-Two': 'single' },
        multiValueHeaders: { 'x-two': ['a', 'b'] },
      }),
    ).toEqual({
      'content-type': ['application/json'],
      'x-one': ['1'],
      'x-two': ['a', 'b'],
    });
  });

  it('set cookies from streaming metadata', () => {
    expect(leavingHeaders({ headers: { 'Content-Type': 'text/plain' }, cookies: ['a=1', 'b=2'] })).toEqual({
      'content-type': ['text/plain'],
      'set-cookie': ['a=1', 'b=2'],
    });
  });

  it('change or disappear as in API Gateway', () => {
    expect(
      leavingHeaders({ headers: { 'WWW-Authenticate': 'Bearer', 'transfer-encoding': 'chunked', Via: 'x' } }),
    ).toEqual({
      'content-type': ['application/json'],
      'x-amzn-remapped-www-authenticate': ['Bearer'],
    });
  });

  it('cannot contain a line break or an invalid name', () => {
    expect(leavingHeaders({ headers: { 'x-a': 'b\r\nset-cookie: c' } })).toBeUndefined();
    expect(leavingHeaders({ headers: { 'x a': 'b' } })).toBeUndefined();
  });
});
