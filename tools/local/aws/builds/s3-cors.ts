/**
 * Cross-origin requests to a bucket by its rules. Source: Amazon S3 user guide, "Using cross-origin resource sharing". The local
 * gateway stands for the hosts of the console, so a rule that names any origin allows its loopback address.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { CorsRule } from '../../assembly/buckets.ts';

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/;

/** Returns the headers with which a browser lets a page of the origin send the request; undefined if no rule allows it. */
export function corsHeaders(
  rules: readonly CorsRule[] | undefined,
  method: string,
  headers: IncomingHttpHeaders,
): Readonly<Record<string, string>> | undefined {
  const { origin } = headers;
  const requested = String(headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const rule = rules?.find(
    ({ AllowedMethods: methods, AllowedHeaders: allowed = [], AllowedOrigins: origins }) =>
      methods.includes(method) &&
      requested.every((name) => allowed.includes(name)) &&
      (origins.includes(String(origin)) || LOOPBACK.test(String(origin))),
  );
  if (origin === undefined || rule === undefined) return undefined;
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': rule.AllowedMethods.join(', '),
    ...(requested.length === 0 ? {} : { 'access-control-allow-headers': requested.join(', ') }),
  };
}
