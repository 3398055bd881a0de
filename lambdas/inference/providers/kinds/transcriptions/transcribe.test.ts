import { LanguageCode } from '@aws-sdk/client-transcribe';
import { describe, expect, it } from '@jest/globals';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { toJobFailure, toStartFailure } from './transcribe-errors.ts';
import { languageCode } from './transcribe-languages.ts';

const { signal } = new AbortController();

/** An error as the SDK throws it. */
const thrown = (name: string, status: number, message = name) =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } });

describe('a failure of Amazon Transcribe', () => {
  it.each([
    ['LimitExceededException', 429, '', { status: 429, retryable: true }],
    ['ThrottlingException', 400, '', { status: 429, retryable: true }],
    ['SlowDown', 503, '', { status: 429, retryable: true }],
    ['AccessDenied', 403, '', { status: 403, retryable: true }],
    ['AccessDeniedException', 400, '', { status: 400, retryable: true }],
    ['InternalFailureException', 500, '', { status: 500, retryable: true }],
    ['BadRequestException', 400, "The S3 URI that you provided can't be accessed.", { retryable: true }],
    ['BadRequestException', 400, "The KMS key that you provided isn't valid.", { retryable: true }],
    [
      'BadRequestException',
      400,
      "Value at 'languageCode' failed to satisfy constraint",
      { status: 400, retryable: false, param: 'language' },
    ],
    [
      'BadRequestException',
      400,
      'The media format is not supported',
      { status: 400, retryable: false, param: 'file' },
    ],
  ])('counts by its name: %s, %i %s', (name, status, message, expected) => {
    expect(toStartFailure(thrown(name, status, message), signal)).toMatchObject(expected);
  });

  it.each([
    'Unsupported media format',
    'The media format provided does not match the detected media format',
    'Invalid sample rate for audio file',
    'The sample rate provided does not match the detected sample rate',
    'Invalid file size: file size too large',
    'Invalid number of channels: number of channels too large',
    'Invalid file size: file size too small. Provide a longer audio file.',
    "Your audio file isn't valid",
  ])('concerns the recording, which no other route would take: %s', (reason) => {
    expect(toJobFailure(reason)).toMatchObject({ retryable: false, status: 400, param: 'file' });
  });

  it('concerns the route for any other reason', () => {
    expect(toJobFailure('Internal failure')).toMatchObject({ retryable: true });
    expect(toJobFailure('')).toMatchObject({ retryable: true });
  });
});

describe('the language of a job', () => {
  const codeOf = (language: string) => languageCode([['language', language]]);

  it.each([
    ['en', 'en-US'],
    ['es', 'es-US'],
    ['pt', 'pt-BR'],
    ['zh', 'zh-CN'],
    ['ar', 'ar-SA'],
    ['fr', 'fr-FR'],
    ['de', 'de-DE'],
    ['ja', 'ja-JP'],
    ['pt-PT', 'pt-PT'],
    ['zh_tw', 'zh-TW'],
    ['en-CA', 'en-US'],
  ])('comes from the code of the caller: %s is %s', (language, code) => {
    expect(codeOf(language)).toBe(code);
  });

  it('accepts every code of Amazon Transcribe, and every language of them without its region', () => {
    for (const code of Object.values(LanguageCode)) {
      expect(codeOf(code)).toBe(code);
      const [language = ''] = code.split('-');
      expect(codeOf(language)?.split('-')[0]).toBe(language);
    }
  });

  it.each(['english', 'xx', '-', 'constructor', '__proto__'])('rejects an unknown one: %s', (language) => {
    expect(() => codeOf(language)).toThrow(UpstreamFailure);
  });

  it('stays open without one', () => {
    expect([languageCode([]), codeOf('')]).toEqual([undefined, undefined]);
  });
});
