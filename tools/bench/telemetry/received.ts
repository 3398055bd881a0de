/** Everything that the collector passed on, by the ids that make a repeated export count once. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** 2 is a server's span, 3 a client's. */
  readonly kind: number;
  readonly attributes?: readonly OtlpAttribute[];
}

interface OtlpTraces {
  readonly resourceSpans?: readonly {
    readonly scopeSpans?: readonly { readonly spans?: readonly OtlpSpan[] }[];
  }[];
}

export type Attributes = Readonly<Record<string, string>>;

/** The kinds of spans in OTLP's JSON. Source: opentelemetry-proto, trace.proto. */
export const SERVER = 2;
export const CLIENT = 3;

export class SpanTally {
  /** The spans of each kind by trace and id, with their attributes as text. */
  readonly spans = new Map<number, Map<string, Attributes>>();
  /** Spans that came again. */
  repeated = 0;
  metricRequests = 0;
  /** The ids of the calls of the server's spans. */
  readonly calls = new Set<string>();

  of(kind: number): ReadonlyMap<string, Attributes> {
    return this.spans.get(kind) ?? new Map();
  }

  add(path: string, body: string): void {
    if (path !== '/v1/traces') {
      this.metricRequests += 1;
      return;
    }
    const { resourceSpans = [] } = JSON.parse(body) as OtlpTraces;
    for (const { scopeSpans = [] } of resourceSpans)
      for (const { spans = [] } of scopeSpans) for (const span of spans) this.#addSpan(span);
  }

  #addSpan({ traceId, spanId, kind, attributes = [] }: OtlpSpan): void {
    const spans = this.spans.get(kind) ?? new Map<string, Attributes>();
    this.spans.set(kind, spans);
    const id = `${traceId}/${spanId}`;
    if (spans.has(id)) this.repeated += 1;
    const named = Object.fromEntries(attributes.map(({ key, value }) => [key, textOf(value)]));
    spans.set(id, named);
    if (kind === SERVER) this.calls.add(named['unified_inference.request.id'] ?? '');
  }
}

const textOf = ({ stringValue, intValue, doubleValue }: OtlpValue): string =>
  String(stringValue ?? intValue ?? doubleValue ?? '');

/** Takes what the collector sends. */
export async function startSink(
  received: SpanTally,
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const bytes = Buffer.concat(parts);
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    received.add(request.url ?? '', text.toString('utf8'));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
