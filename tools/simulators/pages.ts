/** The pages of the simulators: HTML without scripts. */
import { createHash } from 'node:crypto';

const STYLE =
  'body{font:16px/1.5 system-ui;max-width:24rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}' +
  'label{display:block;font-weight:600}input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;margin:.25rem 0 1rem}' +
  'button{font:inherit;padding:.6rem 1.2rem}';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`;

/** Headers of a page whose form may lead to `target`: browsers hold the redirect of a form to the policy, too. */
export const pageHeaders = (target = ''): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${target}; frame-ancestors 'none'; base-uri 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
});
