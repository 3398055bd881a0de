/**
 * The identity providers with which accounts may sign in: configuration of the deployment, read by the stacks and by
 * the function that signs in.
 */
import * as z from 'zod';
import { requireVariable, VARIABLES } from './environment.ts';

/** A provider's word is taken for who somebody is, so it must come over TLS; on the machine itself it may do without. */
export const providerAddress = z.url().refine((value) => {
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}, 'must begin with https://');

/**
 * An address to which a provider may send a code. It is compared letter by letter (RFC 9700, section 2.1), and has no
 * fragment.
 */
const redirectUri = providerAddress.refine((value) => !value.includes('#'), 'must not have a fragment');

/** The fields that a browser needs, in addition to a client id, to sign in with an authorization code. */
const browser = {
  /** The name of the provider in the console; its name in the path if absent. */
  displayName: z.string().min(1).max(60).optional(),
  /** The addresses to which the provider may send codes. Without any, only tokens sign in. */
  redirectUris: z.array(redirectUri).min(1).max(20).optional(),
};

const oidc = z
  .strictObject({
    type: z.literal('oidc'),
    /** The issuer, exactly as its tokens and its discovery document name it (OpenID Connect Discovery 1.0, section 4). */
    issuer: providerAddress,
    /** Other names that the issuer's tokens may bear, such as Google's `accounts.google.com`. */
    otherIssuers: z.array(z.string().min(1)).optional(),
    /** The client ids that a token may be meant for. */
    audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
    /** The address of its keys; read by discovery if absent, as are the two endpoints. */
    jwksUri: providerAddress.optional(),
    ...browser,
    /** The client that codes are issued to, one of the audience; if it has a secret, that is in the identity secret. */
    clientId: z.string().min(1).optional(),
    authorizationEndpoint: providerAddress.optional(),
    tokenEndpoint: providerAddress.optional(),
  })
  .refine(({ clientId, audience }) => clientId === undefined || [audience].flat().includes(clientId), {
    path: ['clientId'],
    message: 'must be one of the audience',
  })
  .refine(({ clientId, redirectUris }) => redirectUris === undefined || clientId !== undefined, {
    path: ['clientId'],
    message: 'is needed with redirectUris',
  });

const github = z.strictObject({
  type: z.literal('github'),
  /** The OAuth app that a token must have been issued to; its secret is in the identity secret. */
  clientId: z.string().min(1),
  apiUrl: providerAddress.default('https://api.github.com'),
  /** The base address at which people authorize the app (`/authorize`) and codes are exchanged (`/access_token`). */
  oauthUrl: providerAddress.default('https://github.com/login/oauth'),
  ...browser,
});

/** The last parts of other routes' paths. */
const RESERVED = ['me', 'providers', 'renew', 'sign-out'];

/** The providers by their names in `POST /api/v1/auth/{identity_provider}`. */
export const identityProvidersSchema = z.record(
  z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/)
    .refine((name) => !RESERVED.includes(name), 'is the path of something else'),
  z.discriminatedUnion('type', [oidc, github]),
);

export type IdentityProviders = z.infer<typeof identityProvidersSchema>;
export type OidcSettings = z.infer<typeof oidc>;
export type GitHubSettings = z.infer<typeof github>;

/** Those of a function, by their names. Throws when they are missing or not valid. */
export const readIdentityProviders = (
  environment: Readonly<Record<string, string | undefined>>,
): IdentityProviders =>
  identityProvidersSchema.parse(JSON.parse(requireVariable(environment, VARIABLES.identityProviders)));
