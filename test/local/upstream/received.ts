/** Reads what arrives of a response, whether or not it arrives whole. */

export interface Received {
  readonly status: number;
  readonly text: string;
  /** Pieces of the body as they arrived. */
  readonly pieces: readonly Uint8Array[];
  /** Whether the body ended as HTTP asks for. */
  readonly whole: boolean;
}

export async function readWhatComes(response: Response): Promise<Received> {
  const pieces: Uint8Array[] = [];
  let whole = true;
  try {
    for await (const piece of response.body ?? []) pieces.push(piece);
  } catch {
    whole = false;
  }
  return { status: response.status, text: Buffer.concat(pieces).toString('utf8'), pieces, whole };
}

/** Content chunks with text in an OpenAI stream. */
export const contentEvents = (text: string): number => text.match(/"delta":\{"content":"[^"]/gu)?.length ?? 0;

/** Time `work` takes, in milliseconds. */
export async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
