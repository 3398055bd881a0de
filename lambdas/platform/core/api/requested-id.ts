/** The id of the object that a request changes or deletes. The path of a collection has none. */
import { ServiceError } from '../errors.ts';
import { isJsonObject } from '../json/lossless-json.ts';

/**
 * Returns the id of the path, else `id` of the query or the JSON body. Throws 400 `missing_field` if there is none, and
 * `invalid_value` if query and body differ.
 */
export async function requestedId(
  { id }: Readonly<Record<string, string>>,
  request: Pick<Request, 'url'>,
  readBody: () => Promise<unknown>,
): Promise<string> {
  if (id !== undefined) return id;
  const body = await readBody();
  const inQuery = new URL(request.url).searchParams.getAll('id');
  const inBody = isJsonObject(body) && body.id != null ? [body.id] : [];
  const [first, ...others] = new Set<unknown>([...inQuery, ...inBody]);
  if (first === undefined || first === '')
    throw new ServiceError('missing_field', 'id is required: send it in the path, the query or the body.', {
      param: 'id',
    });
  if (typeof first !== 'string' || others.length > 0)
    throw new ServiceError('invalid_value', 'id: must be one string, the same in the query and the body.', {
      param: 'id',
    });
  return first;
}
