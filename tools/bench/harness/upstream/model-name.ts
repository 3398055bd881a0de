/** The upstream's names of models, which say what it answers: `c<chunks>-d<pause in ms>`, and `-e<ms between two events>`. */

export interface UpstreamAnswer {
  readonly chunks: number;
  readonly pauseMs: number;
  /** Between two events of a stream, once it has begun to write. */
  readonly everyMs?: number;
}

export const modelNamed = ({ chunks, pauseMs, everyMs }: UpstreamAnswer): string =>
  `c${chunks}-d${pauseMs}${everyMs === undefined ? '' : `-e${everyMs}`}`;

export function answerNamed(model: string): Required<UpstreamAnswer> {
  const [, chunks, pauseMs, everyMs = 0] = /c(\d+)-d(\d+)(?:-e(\d+))?$/.exec(model) ?? [];
  return { chunks: Number(chunks), pauseMs: Number(pauseMs), everyMs: Number(everyMs) };
}

/** The first piece of text of every answer. */
export const FIRST_TEXT = 'Gate';
