/** A grant that the other organization has accepted. */
import type { Access } from '../../src/access/access.ts';
import type { Grant } from '../../src/access/grants.ts';

export async function granted(
  access: Pick<Access, 'createGrant' | 'acceptGrant'>,
  ...[owner, input]: Parameters<Access['createGrant']>
): Promise<Grant> {
  const offered = await access.createGrant(owner, input);
  const accepted = await access.acceptGrant(input.granteeOrganizationId, offered?.grantId ?? '');
  if (accepted === null) throw new Error('There is no such organization.');
  return accepted;
}
