/** An organization of its own with people who administer it, for the tests of what one of them cannot do alone. */
import type { Scope } from '../../src/access/scopes.ts';
import type { Answered, TestApp } from './app.ts';
import { type SignedIn, sessionFor, signedIn } from './people.ts';

export type Desk = {
  organizationId: string;
  /** Somebody who administers, as they signed in just now. */
  administrator(): Promise<Colleague>;
  colleague(roles: readonly string[]): Promise<Colleague>;
  client(scopes: Scope[]): Promise<Program>;
};

type Calls = {
  post(path: string, body: object, more?: Record<string, string>): Promise<Answered>;
  get(path: string): Promise<Answered>;
};
export type Colleague = Calls & { userId: string; signIn(): Promise<void> };
export type Program = Calls & { clientId: string };

export async function desk(service: TestApp): Promise<Desk> {
  const { access } = service;
  const { organizationId } = await access.createOrganization('Desk');

  const calling = (headers: () => Record<string, string>): Calls => ({
    post: (path, body, more = {}) =>
      service.call('POST', `/v2/chain/${path}`, { headers: { ...headers(), ...more }, body }),
    get: (path) => service.call('GET', `/v2/chain/${path}`, { headers: headers() }),
  });

  async function colleague(roles: readonly string[]): Promise<Colleague> {
    let session: SignedIn = await signedIn(service, roles, organizationId);
    const { userId } = session;
    return {
      ...calling(() => session.headers),
      userId,
      async signIn() {
        session = await sessionFor(service, userId);
      },
    };
  }

  return {
    organizationId,
    colleague,
    administrator: () => colleague(['administrator']),
    async client(scopes) {
      const { clientId, clientSecret, apiKey } = await access.createClient(organizationId, { name: 'test', scopes });
      const { body } = await service.call('POST', '/v2/chain/auth-token', { body: { clientId, clientSecret } });
      return { clientId, ...calling(() => ({ authorization: `Bearer ${body.data.token}`, key: apiKey })) };
    },
  };
}
