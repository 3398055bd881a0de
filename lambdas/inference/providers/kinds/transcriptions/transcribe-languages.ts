/** The language codes of Amazon Transcribe (its API reference, StartTranscriptionJob, LanguageCode). */
import { LanguageCode } from '@aws-sdk/client-transcribe';
import type { Upload } from '../../../../platform/core/upload.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';

/** The codes of languages that have several, for callers who name no region. */
const DEFAULTS: Readonly<Record<string, LanguageCode>> = {
  ar: 'ar-SA',
  ckb: 'ckb-IQ',
  cy: 'cy-GB',
  de: 'de-DE',
  en: 'en-US',
  es: 'es-US',
  et: 'et-EE',
  fa: 'fa-IR',
  fr: 'fr-FR',
  pt: 'pt-BR',
  sw: 'sw-KE',
  zh: 'zh-CN',
};

const CODES: readonly LanguageCode[] = Object.values(LanguageCode);

/**
 * Returns the code for the language that a caller names by ISO 639-1 or BCP 47; undefined if it names none. A region that
 * the language does not have there is left out. Throws a rejection for an unknown language.
 */
export function languageCode(fields: Upload['fields']): LanguageCode | undefined {
  const named = fields.find(([name, value]) => name === 'language' && value !== '')?.[1];
  if (named === undefined) return undefined;
  const tag = named.trim().toLowerCase().replaceAll('_', '-');
  const [language = ''] = tag.split('-');
  const code =
    CODES.find((each) => each.toLowerCase() === tag) ??
    (Object.hasOwn(DEFAULTS, language)
      ? DEFAULTS[language]
      : CODES.find((each) => each.startsWith(`${language}-`)));
  if (code !== undefined) return code;
  throw new UpstreamFailure('status', {
    status: 400,
    retryable: false,
    param: 'language',
    rejection: {
      reason: 'language is unknown: send a code of ISO 639-1, such as en, or with a region, such as en-GB.',
    },
  });
}
