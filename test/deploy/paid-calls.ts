/** Paid calls with a key of their own while a stage changes, and the records of what they cost. */
import { ulid } from 'ulid';
import type { Deployment } from './deployment.ts';

interface UsageRecord {
  readonly id: string;
  readonly cost: number;
  readonly status: string;
}

interface Answer {
  readonly status: number | string;
  readonly text: string;
  readonly isReplay: boolean;
}

/** The most that a page of a list has. */
const PAGE = 100;

export class PaidCalls {
  readonly #url: string;
  readonly #key: string;
  /** The calls that can be repeated: the first response under each idempotency key. */
  readonly #repeatable = new Map<string, Answer>();

  private constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  static async create(deployment: Deployment, url: string, account: string): Promise<PaidCalls> {
    const policy = JSON.stringify({ rpm: 100_000 });
    const options = ['--account', account, '--policy', policy];
    const created = await deployment.admin<{ key: string }>('key', 'create', ...options);
    return new PaidCalls(url, created.key);
  }

  /** A completion, a stream and embeddings; each resolves with its status, or with `cut` if the stream did not end. */
  get each(): readonly (() => Promise<number | string>)[] {
    const messages = [{ role: 'user', content: 'Repeat exactly: here' }];
    const chat = { model: 'sim/chat', messages, max_tokens: 8 };
    const paths: readonly (readonly [string, object])[] = [
      ['/v1/chat/completions', chat],
      ['/v1/chat/completions', { ...chat, stream: true }],
      ['/v1/embeddings', { model: 'sim/embed', input: 'one' }],
    ];
    return paths.map(
      ([path, body]) =>
        async () =>
          (await this.#post(path, body)).status,
    );
  }

  /** Makes a call that can be repeated, after repeating those before it; resolves with the repeated ones that were no replays. */
  async repeat(): Promise<readonly Answer[]> {
    const send = (id: string) =>
      this.#post(
        '/v1/chat/completions',
        { model: 'sim/chat', messages: [{ role: 'user', content: id }] },
        { 'idempotency-key': id },
      );
    const different: Answer[] = [];
    for (const [id, first] of this.#repeatable) {
      const again = await send(id);
      if (!again.isReplay || again.text !== first.text) different.push(again);
    }
    const id = ulid();
    this.#repeatable.set(id, await send(id));
    return different;
  }

  /** The records of all calls of the key. */
  async records(): Promise<readonly UsageRecord[]> {
    const records: UsageRecord[] = [];
    let next: string | null = '';
    while (next !== null) {
      const cursor = next === '' ? '' : `&cursor=${next}`;
      const headers = { authorization: `Bearer ${this.#key}` };
      const httpResponse = await fetch(`${this.#url}/v1/usage?limit=${PAGE}${cursor}`, { headers });
      const page = (await httpResponse.json()) as { data: UsageRecord[]; next_cursor: string | null };
      records.push(...page.data);
      next = page.next_cursor;
    }
    return records;
  }

  async #post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const httpResponse = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await httpResponse.text();
    const isCut = 'stream' in body && !text.endsWith('data: [DONE]\n\n');
    return {
      status: httpResponse.ok && isCut ? 'cut' : httpResponse.status,
      text,
      isReplay: httpResponse.headers.get('idempotent-replayed') === 'true',
    };
  }
}
