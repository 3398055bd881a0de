/** Where the images of a request may lie that an upstream fetches itself: on the public internet, as far as a URL shows. */
import { bareHost, isAddress, isPublicAddress } from '../../address.ts';
import { ServiceError } from '../../errors.ts';

/** Names that are resolved within a machine or a network (RFC 6761, section 6.3; RFC 6762; ICANN, `.internal`). */
const LOCAL_NAME = /^[^.]*\.?$|(^|\.)(localhost|local|internal)\.?$/;

/**
 * An upstream on a private network would fetch what its neighbours keep there. Names of hosts are not looked up: that
 * is the upstream's to do. Throws 400 `invalid_value` with this `param`.
 */
export function requirePublicImages(urls: readonly string[], param = 'messages'): void {
  for (const text of urls) {
    const url = text.startsWith('data:') ? undefined : URL.parse(text);
    if (url === undefined || isPublicHost(url)) continue;
    throw new ServiceError(
      'invalid_value',
      `${param}: an image or file URL must lead to a host on the public internet.`,
      { param },
    );
  }
}

function isPublicHost(url: URL | null): boolean {
  const host = bareHost(url?.hostname ?? '');
  return isAddress(host) ? isPublicAddress(host) : !LOCAL_NAME.test(host);
}
