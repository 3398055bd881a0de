/** The upstream's names of models, which say what it answers: `c<chunks>-d<pause in ms>`, and `-e<ms between two events>` or `-w` for one write of all. */

export interface UpstreamAnswer {
  readonly chunks: number;
  readonly pauseMs: number;
  /** Between two events of a stream, once it has begun to write. */
  readonly everyMs?: number;
  /** True if all events of a stream are one write, which a reader on the same machine receives in one read. */
  readonly isOneWrite?: boolean;
}

export const modelNamed = ({ chunks, pauseMs, everyMs, isOneWrite = false }: UpstreamAnswer): string =>
  `c${chunks}-d${pauseMs}${everyMs === undefined ? '' : `-e${everyMs}`}${isOneWrite ? '-w' : ''}`;

export function answerNamed(model: string): Required<UpstreamAnswer> {
  const [, chunks, pauseMs, everyMs = 0, oneWrite] = /c(\d+)-d(\d+)(?:-e(\d+))?(-w)?$/.exec(model) ?? [];
  return {
    chunks: Number(chunks),
    pauseMs: Number(pauseMs),
    everyMs: Number(everyMs),
    isOneWrite: oneWrite !== undefined,
  };
}

/** The first piece of text of every answer. */
export const FIRST_TEXT = 'Gate';
