/** The identity providers that a browser can start a sign-in with. */
import * as z from 'zod';
import type { Body } from '../../platform/core/api/response-schema.ts';

const providerType = z.enum(['oidc', 'github']);

/** The parameters for the request of an authorization code (RFC 6749, section 4.1.1). */
export interface OfferedProvider {
  /** Its name in `POST /api/v1/auth/{identity_provider}`. */
  readonly id: string;
  readonly type: z.infer<typeof providerType>;
  /** For people to read. */
  readonly name: string;
  readonly clientId: string;
  readonly authorizationEndpoint: string;
  /** The scope to request; may be empty. */
  readonly scope: string;
}

const offeredProviderSchema = z.object({
  id: z.string(),
  type: providerType,
  name: z.string(),
  client_id: z.string(),
  authorization_endpoint: z.string(),
  scope: z.string(),
});

export const offeredProvidersSchema = z.object({
  object: z.literal('list'),
  data: z.array(offeredProviderSchema),
});

export const offeredProvidersBody = (
  offered: readonly OfferedProvider[],
): Body<typeof offeredProvidersSchema> => ({
  object: 'list',
  data: offered.map(({ id, type, name, clientId, authorizationEndpoint, scope }) => ({
    id,
    type,
    name,
    client_id: clientId,
    authorization_endpoint: authorizationEndpoint,
    scope,
  })),
});
