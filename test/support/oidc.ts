/** A real OpenID Connect provider on this machine. Whoever it is asked for signs in without a page: the test says who. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export type Account = { email?: string; email_verified?: boolean };

export type TestProvider = {
  issuer: string;
  client: { clientId: string; clientSecret: string };
  /** The account that signs in next; null: the person gives up. */
  signsIn: { accountId: string | null };
  accounts: Map<string, Account>;
  close(): void;
};

/** `namesItself: false`: one that does not say in its answers who it is (RFC 9207), as many do not. */
export async function testProvider(
  redirectUris: string[],
  { namesItself = true }: { namesItself?: boolean } = {},
): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { clientId: 'daybook', clientSecret: 'a secret of the provider' };
  const accounts = new Map<string, Account>();
  const signsIn: TestProvider['signsIn'] = { accountId: null };
  const registered = (client_id: string) => ({
    client_id,
    client_secret: client.clientSecret,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code'],
    response_types: ['code' as const],
  });
  const provider = new Provider(issuer, {
    clients: [registered(client.clientId), registered('another')],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  if (!namesItself) leaveOutIssuer(provider);
  const serve = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/login/')) return void serve(request, response);
    const { accountId } = signsIn;
    const result = accountId === null ? { error: 'access_denied' } : { login: { accountId, remember: false } };
    provider.interactionFinished(request, response, result).catch(() => response.writeHead(500).end());
  });
  return {
    issuer,
    client,
    signsIn,
    accounts,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function leaveOutIssuer(provider: Provider): void {
  provider.use(async (context, next) => {
    await next();
    if (context.path.endsWith('/openid-configuration')) {
      context.body = { ...(context.body as object), authorization_response_iss_parameter_supported: undefined };
    }
    const location = context.response.get('location');
    if (location) context.set('location', location.replace(/&iss=[^&]*/, ''));
  });
}

/** Follows redirects as a browser does, with the cookies of each origin, until `target`. */
export async function follow(from: string, target: string): Promise<URL> {
  const jar = new Map<string, string>();
  let url = new URL(from);
  for (let hop = 0; hop < 10; hop += 1) {
    if (url.href.startsWith(target)) return url;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`The provider answered ${answer.status} without a redirect.`);
    url = new URL(location, url);
  }
  throw new Error('Too many redirects.');
}
