/**
 * Signing in with an organization's own OpenID Connect provider: authorization code with PKCE, state and nonce. The ID token's signature,
 * issuer, audience, times and nonce are checked, and before the code is sent anywhere, that this provider has issued it (RFC 9207). All
 * requests go through the guarded client, so that an administrator who names an issuer inside the operator's network reaches nothing there.
 */
import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { isOutboundFailure, type Outbound } from '../../outbound/client.ts';
import { deriveKey } from '../../vault/cipher.ts';

export type Provider = { issuer: string; clientId: string; clientSecret: string };

/** State to remember until the browser is back. */
export type Redirected = { state: string; nonce: string; verifier: string; redirectUri: string };

/** `authenticatedAt`: when the person proved to the provider who they are (epoch milliseconds); null: it does not say. */
export type Identity = { issuer: string; subject: string; email: string | null; authenticatedAt: number | null };

export class ProviderUnreachable extends Error {
  override name = 'ProviderUnreachable';
}

export type Providers = {
  /** The URL to send the browser to; with `maxAgeSeconds` the provider asks for a proof that is no older. Throws `ProviderUnreachable`. */
  leave(
    provider: Provider,
    redirectUri: string,
    more?: { maxAgeSeconds: number | null },
  ): Promise<{ url: string; redirected: Redirected }>;
  /** The identity stated by the provider, from the query of the callback; null: the answer does not belong to this redirect. */
  arrive(provider: Provider, redirected: Redirected, query: string): Promise<Identity | null>;
  subjectDigest(identity: Pick<Identity, 'issuer' | 'subject'>): Buffer;
};

const TIMEOUT_SECONDS = 10;
const LARGEST_ANSWER = 512 * 1024;
/** A provider's endpoints and keys are read again after this time. */
const KNOWN_MS = 10 * 60_000;

export function openProviders({ outbound, secret }: { outbound: Outbound; secret: Uint8Array }): Providers {
  const digestKey = deriveKey(secret, 'daybook provider subjects v1');
  const known = new LRUCache<string, Configuration>({ max: 200, ttl: KNOWN_MS });
  const send = fetchThrough(outbound);

  async function configure(provider: Provider): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = provider;
    const name = JSON.stringify([issuer, clientId, clientSecret]);
    const found = known.get(name);
    if (found !== undefined) return found;
    try {
      // The guarded client itself refuses http: to every address that the operator has not allowed.
      const execute = [allowInsecureRequests, enableNonRepudiationChecks];
      const options = { [customFetch]: send, timeout: TIMEOUT_SECONDS, execute };
      const basic = await discovery(new URL(issuer), clientId, undefined, ClientSecretBasic(clientSecret), options);
      const methods = basic.serverMetadata().token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const configuration = methods.includes('client_secret_basic')
        ? basic
        : await discovery(new URL(issuer), clientId, undefined, ClientSecretPost(clientSecret), options);
      known.set(name, configuration);
      return configuration;
    } catch {
      throw new ProviderUnreachable('The identity provider could not be reached, or its description is not valid.');
    }
  }

  return {
    async leave(provider, redirectUri, { maxAgeSeconds } = { maxAgeSeconds: null }) {
      const configuration = await configure(provider);
      const redirected = {
        state: randomState(),
        nonce: randomNonce(),
        verifier: randomPKCECodeVerifier(),
        redirectUri,
      };
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state: redirected.state,
        nonce: redirected.nonce,
        code_challenge: await calculatePKCECodeChallenge(redirected.verifier),
        code_challenge_method: 'S256',
        ...(maxAgeSeconds === null ? {} : { max_age: String(maxAgeSeconds) }),
      });
      return { url: url.href, redirected };
    },
    async arrive(provider, redirected, query) {
      const configuration = await configure(provider);
      if (!isOfIssuer(configuration, query)) return null;
      try {
        const tokens = await authorizationCodeGrant(configuration, new URL(`${redirected.redirectUri}?${query}`), {
          expectedState: redirected.state,
          expectedNonce: redirected.nonce,
          pkceCodeVerifier: redirected.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) return null;
        const { email_verified, email } = { ...claims, ...(await moreOf(configuration, tokens.access_token, claims)) };
        const isVerified = email_verified === true && typeof email === 'string' && email.length <= 320;
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: isVerified ? email : null,
          authenticatedAt: claims.auth_time === undefined ? null : claims.auth_time * 1_000,
        };
      } catch {
        // The cause (state, nonce, issuer, audience, signature, a code used twice) is not logged: its message may quote the answer.
        return null;
      }
    },
    subjectDigest: ({ issuer, subject }) =>
      createHmac('sha256', digestKey)
        .update(JSON.stringify([issuer, subject]))
        .digest(),
  };
}

/**
 * Whether the answer names the issuer that the browser was sent to, where it names one; required where the provider says that it does.
 * The library lets an empty value pass.
 */
function isOfIssuer(configuration: Configuration, query: string): boolean {
  const { issuer, authorization_response_iss_parameter_supported: isPromised } = configuration.serverMetadata();
  const said = new URLSearchParams(query).getAll('iss');
  return said.length === 0 ? isPromised !== true : said.length === 1 && said[0] === issuer;
}

/** The address, where the ID token does not have it. */
async function moreOf(
  configuration: Configuration,
  accessToken: string,
  claims: { sub: string; email?: unknown },
): Promise<{ email?: string; email_verified?: boolean }> {
  if (claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  const { email, email_verified } = await fetchUserInfo(configuration, accessToken, claims.sub);
  return {
    ...(email === undefined ? {} : { email }),
    ...(email_verified === undefined ? {} : { email_verified }),
  };
}

/** The library's requests by the guarded client. Redirects are not followed. */
function fetchThrough(outbound: Outbound): CustomFetch {
  return async (url, { method, headers, body }) => {
    const answer = await outbound.send({
      url: new URL(url),
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body === null || body === undefined ? {} : { body: Buffer.from(String(body)) }),
      withinMs: TIMEOUT_SECONDS * 1_000,
      maxBytes: LARGEST_ANSWER,
    });
    if (isOutboundFailure(answer)) throw new ProviderUnreachable(`The identity provider: ${answer.failed}.`);
    const empty = answer.status === 204 || answer.status === 304;
    const kept = Object.entries(answer.headers).filter((header): header is [string, string] => header[1] !== undefined);
    return new Response(empty ? null : new Uint8Array(answer.body), { status: answer.status, headers: kept });
  };
}
