/** Spans of UTC days. */

/** Days as `YYYY-MM-DD`, both inclusive. */
export interface DateSpan {
  readonly from: string;
  readonly to: string;
}

export const DAY_SECONDS = 86_400;

export const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

export const secondsOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000;

/** Returns whether the last day is not before the first; either may be open. */
export const isSpan = ({ from, to }: { readonly [Day in keyof DateSpan]?: string | undefined }): boolean =>
  from === undefined || to === undefined || secondsOf(from) <= secondsOf(to);
