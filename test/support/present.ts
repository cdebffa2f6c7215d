/** A token and an API key presented to the module `access`, as the HTTP shell does it. */
import type { Access, Caller } from '../../src/access/access.ts';
import type { Denial } from '../../src/access/refused.ts';

export async function presentTo(
  access: Access,
  given: { token: string; key?: string | undefined; address?: string },
): Promise<Caller | Denial> {
  const { token, key, address = '192.0.2.1' } = given;
  const caller = await access.authenticate({ authorization: `Bearer ${token}`, address: () => address });
  return 'denied' in caller || key === undefined ? caller : access.checkKey(caller, key);
}
