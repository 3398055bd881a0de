/** Who accounts may sign in with: configuration of the deployment, read by the stacks and by the function that signs in. */
import * as z from 'zod';

/** A provider's word is taken for who somebody is, so it must come over TLS; on the machine itself it may do without. */
const address = z.url().refine((value) => {
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}, 'must begin with https://');

const oidc = z.strictObject({
  type: z.literal('oidc'),
  /** The issuer, exactly as its tokens and its discovery document name it (OpenID Connect Discovery 1.0, section 4). */
  issuer: address,
  /** Other names that the issuer's tokens may bear, such as Google's `accounts.google.com`. */
  otherIssuers: z.array(z.string().min(1)).optional(),
  /** The client ids that a token may be meant for. */
  audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  /** Where its keys are; found by discovery when absent. */
  jwksUri: address.optional(),
});

const github = z.strictObject({
  type: z.literal('github'),
  /** The OAuth app that a token must have been issued to; its secret is in the identity secret. */
  clientId: z.string().min(1),
  apiUrl: address.default('https://api.github.com'),
});

/** By the name in `POST /api/v1/auth/{identity_provider}`. */
export const identityProvidersSchema = z.record(
  z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/)
    .refine((name) => name !== 'me' && name !== 'sign-out', 'is the path of something else'),
  z.discriminatedUnion('type', [oidc, github]),
);

export type IdentityProviders = z.infer<typeof identityProvidersSchema>;
export type OidcSettings = z.infer<typeof oidc>;
export type GitHubSettings = z.infer<typeof github>;
