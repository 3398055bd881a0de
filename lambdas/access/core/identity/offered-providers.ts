/** The identity providers that a browser can start a sign-in with. */
import * as z from 'zod';

/** The parameters for the request of an authorization code (RFC 6749, section 4.1.1). */
const offeredProvider = z.object({
  /** Its name in `POST /api/v1/auth/{identity_provider}`. */
  id: z.string(),
  type: z.enum(['oidc', 'github']),
  /** For people to read. */
  name: z.string(),
  client_id: z.string(),
  authorization_endpoint: z.string(),
  /** The scope to request; may be empty. */
  scope: z.string(),
});

export type OfferedProvider = z.infer<typeof offeredProvider>;

export const offeredProvidersSchema = z.object({
  object: z.literal('list'),
  data: z.array(offeredProvider),
});
