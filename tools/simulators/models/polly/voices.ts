/** Some of Amazon Polly's voices (Amazon Polly developer guide, "Available voices"), and `GET /v1/voices`. */
import { jsonResponse, type SimulatedCall } from '../exchange/reply.ts';
import { RequestError } from '../exchange/request-error.ts';

export const ENGINES = ['standard', 'neural', 'long-form', 'generative'] as const;
export type Engine = (typeof ENGINES)[number];

const ALL: readonly Engine[] = ['standard', 'neural', 'generative'];
const NEW: readonly Engine[] = ['neural', 'generative'];
const OLD: readonly Engine[] = ['standard', 'neural'];

interface Voice {
  readonly language: string;
  readonly gender: 'Female' | 'Male';
  readonly engines: readonly Engine[];
}

const voice = (language: string, gender: Voice['gender'], engines: readonly Engine[]): Voice => ({
  language,
  gender,
  engines,
});

export const VOICES: Readonly<Record<string, Voice>> = {
  Joanna: voice('en-US', 'Female', ALL),
  Salli: voice('en-US', 'Female', ALL),
  Kendra: voice('en-US', 'Female', OLD),
  Kimberly: voice('en-US', 'Female', OLD),
  Ivy: voice('en-US', 'Female', OLD),
  Matthew: voice('en-US', 'Male', NEW),
  Joey: voice('en-US', 'Male', OLD),
  Danielle: voice('en-US', 'Female', [...NEW, 'long-form']),
  Ruth: voice('en-US', 'Female', [...NEW, 'long-form']),
  Gregory: voice('en-US', 'Male', ['neural', 'long-form']),
  Stephen: voice('en-US', 'Male', NEW),
  Tiffany: voice('en-US', 'Female', ['generative']),
  Amy: voice('en-GB', 'Female', ALL),
  Brian: voice('en-GB', 'Male', ALL),
  Arthur: voice('en-GB', 'Male', ['neural']),
  Vicki: voice('de-DE', 'Female', ALL),
  Zhiyu: voice('cmn-CN', 'Female', OLD),
};

/** Voices of a page, fewer than Polly's, so that lists have several. */
const PAGE = 5;

const isEngine = (name: string | null): name is Engine => ENGINES.some((engine) => engine === name);

export function respondWithVoices({ query }: SimulatedCall) {
  const parameters = new URLSearchParams(query);
  const engine = parameters.get('Engine');
  if (engine !== null && !isEngine(engine))
    throw new RequestError('Member must satisfy enum value set', ['engine']);
  const listed = Object.entries(VOICES).filter(
    ([, { engines }]) => !isEngine(engine) || engines.includes(engine),
  );
  const start = Number(parameters.get('NextToken') ?? 0);
  const end = start + PAGE;
  return jsonResponse(200, {
    Voices: listed.slice(start, end).map(([id, { language, gender, engines }]) => ({
      Id: id,
      Name: id,
      Gender: gender,
      LanguageCode: language,
      LanguageName: language,
      SupportedEngines: engines,
    })),
    ...(end < listed.length ? { NextToken: String(end) } : {}),
  });
}
