/** The two questions that GitHub's API is asked about an access token, answered on a real socket. */
import { text } from 'node:stream/consumers';
import { startLoopbackServer } from '../loopback-server.ts';

export const GITHUB_CLIENT = 'Iv1.0123456789abcdef';
export const GITHUB_SECRET = 'the secret of the app';

const OWNER = { id: 583231, login: 'octocat' };
const check = (clientId: string) => ({ id: 1, app: { client_id: clientId }, user: OWNER });

/**
 * The response of the token check for each token. Tokens that are not listed get 404, as at GitHub for tokens of
 * another app.
 */
const CHECKS: Readonly<Record<string, readonly [number, unknown]>> = {
  gho_ours: [200, check(GITHUB_CLIENT)],
  gho_revoked_meanwhile: [200, check(GITHUB_CLIENT)],
  gho_of_another_app: [200, check('Iv1.of_somebody_else')],
  gho_breaks: [502, { message: 'Bad Gateway' }],
  gho_limited: [429, { message: 'API rate limit exceeded' }],
  gho_nonsense: [200, { hello: 'world' }],
  gho_long: [200, { ...check(GITHUB_CLIENT), padding: 'x'.repeat(64 * 1024) }],
};

export const startGitHub = () =>
  startLoopbackServer(async (request, response) => {
    const target = `${request.method} ${request.url}`;
    const [status, body] = respondTo(target, request.headers.authorization ?? '', await text(request));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }, 0);

function respondTo(target: string, authorization: string, body: string): readonly [number, unknown] {
  if (target === `POST /applications/${GITHUB_CLIENT}/token`) {
    const basic = Buffer.from(`${GITHUB_CLIENT}:${GITHUB_SECRET}`).toString('base64');
    if (authorization !== `Basic ${basic}`) return [401, { message: 'Bad credentials' }];
    const { access_token: token } = JSON.parse(body) as { access_token: string };
    return CHECKS[token] ?? [404, { message: 'Not Found' }];
  }
  if (target === 'GET /user') {
    return authorization === 'Bearer gho_ours' ? [200, OWNER] : [401, { message: 'Bad credentials' }];
  }
  return [404, { message: 'Not Found' }];
}
