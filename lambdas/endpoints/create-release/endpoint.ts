/** `POST /apps/{id}/releases` and its like: releases a version of a listing of the account that is signed in. */
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { newRelease, releaseEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Releases } from '../../core/listings/releases.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface CreateReleaseDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly releases: Releases;
}

export function createRelease({ sessions, releases }: CreateReleaseDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const body = validate(newRelease, (await readJson(request)).value);
    const release = await releases.release({ kind: kindOf(request), id, accountId }, body);
    return jsonResponse(releaseEntry(release), {}, 201);
  };
}
