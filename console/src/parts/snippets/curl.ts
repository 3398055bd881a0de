/** A request as a command line. */
import { KIND_PATHS } from '../../api/values.ts';
import { JSON_TEXT, literal, shellWord } from './literals.ts';
import type { SnippetRequest } from './requests.ts';

/** The output files of responses that are not text. */
const OUTPUTS: Partial<Record<SnippetRequest['kind'], string>> = { image: 'image.json', tts: 'speech.mp3' };

const AFTER: Partial<Record<SnippetRequest['kind'], string>> = {
  image: "\n\n# The picture: jq -r '.data[0].b64_json' image.json | base64 --decode > image.png",
};

/** A file of a form; curl reads a quoted name to its closing quote (curl's manual, -F). */
const fileField = (name: string): string =>
  /^[\w./-]+$/.test(name) ? `file=@${name}` : `file=@"${name.replaceAll(/["\\]/g, '\\$&')}"`;

function bodyLines(request: SnippetRequest): readonly string[] {
  if (request.kind !== 'audio') {
    return ['-H "Content-Type: application/json"', `-d ${shellWord(literal(request.body, JSON_TEXT, 2))}`];
  }
  const { body, file = 'audio.mp3' } = request;
  return [
    // `-F` would read a value that starts with an `@` from a file.
    ...Object.entries(body).map(([name, value]) => `--form-string ${shellWord(`${name}=${value}`)}`),
    `-F ${shellWord(fileField(file))}`,
  ];
}

/** The command; `base` has no slash at its end. */
export function curlText(base: string, key: string, request: SnippetRequest): string {
  const output = OUTPUTS[request.kind];
  const lines = [
    `curl ${shellWord(base + KIND_PATHS[request.kind])}`,
    `-H ${shellWord(`Authorization: Bearer ${key}`)}`,
    ...bodyLines(request),
    ...(output === undefined ? [] : [`-o ${output}`]),
  ];
  return lines.join(' \\\n  ') + (AFTER[request.kind] ?? '');
}
