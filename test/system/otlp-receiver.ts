/** A receiver of OTLP/HTTP that decodes what it gets, and behaves as a test says. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

type Value = bigint | Buffer;

/** The fields of a message of protobuf, by number (protobuf.dev, Encoding). */
function fieldsOf(bytes: Buffer): ReadonlyMap<number, Value[]> {
  const fields = new Map<number, Value[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const type = tag & 7;
    const value = type === 0 ? varint() : take(type === 1 ? 8 : type === 5 ? 4 : Number(varint()));
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

/** The messages at a path of field numbers. */
const at = (bytes: Buffer, ...[number = 0, ...rest]: readonly number[]): readonly Buffer[] => {
  const found = (fieldsOf(bytes).get(number) ?? []) as Buffer[];
  return rest.length === 0 ? found : found.flatMap((each) => at(each, ...rest));
};

/** The attributes in a field of a message, by name (opentelemetry-proto, KeyValue). */
const attributesOf = (message: Buffer, field: number): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    at(message, field).map((pair) => {
      const value = fieldsOf(at(pair, 2)[0] ?? Buffer.alloc(0));
      const [text] = (value.get(1) ?? []) as Buffer[];
      const [double] = (value.get(4) ?? []) as Buffer[];
      return [
        String(at(pair, 1)[0]),
        text?.toString() ?? double?.readDoubleLE() ?? Number(value.get(3)?.[0] ?? 0n),
      ];
    }),
  );

export interface ReceivedSpan {
  readonly id: string;
  readonly traceId: string;
  readonly parentId: string;
  /** 2 for a server, 3 for a client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

type Behavior = (response: ServerResponse, path: string) => void;

const accept: Behavior = (response) => void response.writeHead(200).end();

export class OtlpReceiver {
  behavior: Behavior = accept;
  /** A span that comes again has the same id. */
  readonly spans = new Map<string, ReceivedSpan>();
  readonly sums = { cost: 0n, input: 0, output: 0 };
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
  }[] = [];
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens on the same port as before. */
  async start(): Promise<void> {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = gunzipSync(Buffer.concat(chunks));
      const path = request.url ?? '';
      this.requests.push({ path, headers: request.headers, body });
      if (this.behavior === accept) this.#read(path, body);
      this.behavior(response, path);
    }).listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  #read(path: string, body: Buffer): void {
    if (path === '/v1/traces')
      for (const span of at(body, 1, 2, 2)) {
        const hex = (field: number) => at(span, field)[0]?.toString('hex') ?? '';
        const kind = Number(fieldsOf(span).get(6)?.[0] ?? 0n);
        const attributes = attributesOf(span, 9);
        this.spans.set(hex(2), { id: hex(2), traceId: hex(1), parentId: hex(4), kind, attributes });
      }
    for (const metric of path === '/v1/metrics' ? at(body, 1, 2, 2) : []) {
      const name = String(at(metric, 1)[0]);
      if (name === 'unified_inference.cost')
        for (const point of at(metric, 7, 1)) this.sums.cost += at(point, 6)[0]?.readBigInt64LE() ?? 0n;
      if (name === 'gen_ai.client.token.usage')
        for (const point of at(metric, 9, 1)) {
          const type = attributesOf(point, 9)['gen_ai.token.type'] as 'input' | 'output';
          this.sums[type] += at(point, 5)[0]?.readDoubleLE() ?? 0;
        }
    }
  }
}
