/** A bounded record of the requests received, by which tests see what a gateway really sent and when it hung up. */
import type { IncomingHttpHeaders } from 'node:http';

/** `aborted`: the client disconnected before the end; `fault`: this server broke the answer on purpose. */
export type RequestOutcome = 'completed' | 'aborted' | 'fault';

export interface RequestRecord {
  /** Counts from 1 and is never used twice. */
  readonly sequence: number;
  readonly method: string;
  readonly path: string;
  /** With its `?`; empty without one. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed when it is JSON, the text otherwise; null once dropped to bound memory. */
  body: unknown;
  body_bytes: number;
  readonly started_at: string;
  outcome: RequestOutcome | null;
  status: number | null;
  chunks: number;
}

const MAX_RECORDS = 1000;
/** Bodies of older records are dropped past this total, so that a flood of 10 MB images stays in memory limits. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export class RequestLog {
  #records: RequestRecord[] = [];
  #bodyBytes = 0;
  #sequence = 0;

  open(request: Pick<RequestRecord, 'method' | 'path' | 'query' | 'headers'>): RequestRecord {
    this.#sequence += 1;
    const record: RequestRecord = {
      sequence: this.#sequence,
      ...request,
      body: null,
      body_bytes: 0,
      started_at: new Date().toISOString(),
      outcome: null,
      status: null,
      chunks: 0,
    };
    this.#records.push(record);
    if (this.#records.length > MAX_RECORDS) this.#dropBody(this.#records.shift());
    return record;
  }

  recordBody(record: RequestRecord, body: unknown, byteLength: number): void {
    record.body = body;
    record.body_bytes = byteLength;
    this.#bodyBytes += byteLength;
    for (const older of this.#records) if (this.#bodyBytes > MAX_BODY_BYTES) this.#dropBody(older);
  }

  /** Records with a sequence number above `sequence`, oldest first. */
  since(sequence: number): readonly RequestRecord[] {
    return this.#records.filter((record) => record.sequence > sequence);
  }

  #dropBody(record: RequestRecord | undefined): void {
    if (record === undefined || record.body === null) return;
    this.#bodyBytes -= record.body_bytes;
    record.body = null;
  }
}
