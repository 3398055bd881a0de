/** `POST /apps/{id}/releases` and its like: releases a version of a listing of the account that is signed in. */
import type { SessionEndpoint } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { newRelease, releaseEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Releases } from '../../core/listings/releases.ts';

export function createRelease(releases: Releases): SessionEndpoint {
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const body = validate(newRelease, (await readJson(request)).value);
    const release = await releases.release({ kind: kindOf(request), id, accountId }, body);
    return jsonResponse(releaseEntry(release), {}, 201);
  };
}
