/**
 * The ways in which hosts that speak OpenAI's wire format differ from it, by name. The path of a request names those of
 * its host: `/hosts/no-store,no-done/v1/chat/completions`; `none` is a host without any. They apply in the order of the
 * table.
 */
import { RequestError } from '../exchange/request-error.ts';
import { ANSWER_QUIRKS, type HostQuirk } from './answer-quirks.ts';
import { REQUEST_QUIRKS } from './request-quirks.ts';

const TABLE = { ...REQUEST_QUIRKS, ...ANSWER_QUIRKS };

export type Quirk = keyof typeof TABLE;

export const QUIRKS = Object.keys(TABLE) as Quirk[];

/** The host accepts every request, and changes answers. */
export const RESPONSE_QUIRKS = Object.keys(ANSWER_QUIRKS) as (keyof typeof ANSWER_QUIRKS)[];

/** The quirks that a segment of the path names, in the order of the table. Throws `RequestError` for a name that is not one. */
export function quirksOf(segment: string): readonly HostQuirk[] {
  const names = segment === 'none' ? [] : segment.split(',');
  const unknown = names.find((name) => !QUIRKS.some((quirk) => quirk === name));
  if (unknown !== undefined)
    throw new RequestError(`There is no quirk '${unknown}'; there are: ${QUIRKS.join(', ')}.`, [], {
      status: 404,
      body: { error: { message: `There is no quirk '${unknown}'.`, quirks: QUIRKS } },
    });
  return QUIRKS.filter((quirk) => names.includes(quirk)).map((quirk) => TABLE[quirk]);
}
