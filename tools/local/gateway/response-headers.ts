/** Turns the headers that a function answers with into those that leave the gateway. */

export interface FunctionHeaders {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly multiValueHeaders?: Readonly<Record<string, unknown>>;
  /** Streaming metadata only. */
  readonly cookies?: readonly unknown[];
}

/** API Gateway developer guide, important notes: what becomes of a Lambda function's response headers. */
const REMAPPED = new Set([
  'authorization',
  'connection',
  'content-md5',
  'date',
  'max-forwards',
  'server',
  'user-agent',
  'www-authenticate',
]);
const DROPPED = new Set([
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** Visible ASCII and Latin-1, spaces and tabs (RFC 9110, field values). */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Returns name and values by lower-case name, or undefined when one cannot be sent. */
export function leavingHeaders(source: FunctionHeaders): Record<string, string[]> | undefined {
  const headers: Record<string, string[]> = { 'content-type': ['application/json'] };
  const pairs = [
    ...Object.entries(source.headers ?? {}).map(([name, value]) => [name, [value]] as const),
    ...Object.entries(source.multiValueHeaders ?? {}).map(
      ([name, values]) => [name, [values].flat()] as const,
    ),
    ...(source.cookies === undefined ? [] : [['set-cookie', source.cookies] as const]),
  ];
  for (const [name, values] of pairs) {
    const strings = values.map(String);
    if (!FIELD_NAME.test(name) || !strings.every((text) => FIELD_VALUE.test(text))) return undefined;
    const lower = name.toLowerCase();
    if (DROPPED.has(lower)) continue;
    headers[REMAPPED.has(lower) ? `x-amzn-remapped-${lower}` : lower] = strings;
  }
  return headers;
}
