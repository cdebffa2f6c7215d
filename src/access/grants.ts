/**
 * Grants: what one organization may do with the loans of another. The owner gives and revokes; the other organization accepts or declines, and
 * may end what it has accepted. Until it is accepted a grant gives nothing, so nobody finds loans in its lists that it has not agreed to see.
 */
import { type ListPlace, organization } from '../store/access/access.ts';
import * as store from '../store/access/grants.ts';
import { sandboxOwners } from '../store/access/sandboxes.ts';
import type { Db, Sql } from '../store/db/db.ts';
import { checkGrant, checkRoom, type GrantInput, isPlainId } from './checks.ts';
import { type PageAsked, type PageOf, pageBy } from './cursors.ts';
import { type Acting, checkGiving, OPENED_BY_GRANT, organizationActing } from './giving.ts';
import { AccessRefused } from './refused.ts';
import { newId } from './secrets.ts';

export type GrantState = 'pending' | 'accepted' | 'declined' | 'ended' | 'revoked';

type Direction = 'given' | 'received';

/** Times are ISO 8601 in UTC. */
export type Grant = {
  grantId: string;
  ownerOrganizationId: string;
  granteeOrganizationId: string;
  /** `servicing` includes reading. */
  access: 'read' | 'servicing';
  /** Null: all loans of the owner. */
  servicerId: string | null;
  state: GrantState;
  createdAt: string;
  acceptedAt: string | null;
  /** The time at which the grantee declined it, or ended it. */
  endedAt: string | null;
  revokedAt: string | null;
};

export type GrantAdministration = {
  /** Repeating a grant returns the existing one. Null: no such organization. */
  createGrant(acting: Acting, input: GrantInput): Promise<Grant | null>;
  /** The demonstration is the service's own: what it gives to the first organization counts as accepted. */
  grantDemo(demoOrganizationId: string, input: GrantInput): Promise<Grant | null>;
  /** Accepted ones first, then pending ones, then those that are over. Without a direction, on both sides. Null: not a valid cursor. */
  listGrants(
    organizationId: string,
    page: PageAsked & { direction?: Direction | null },
  ): Promise<PageOf<Grant & { direction: Direction }> | null>;
  /** Only for the owner. Repeating it changes nothing. */
  revokeGrant(ownerOrganizationId: string, grantId: string): Promise<Grant | null>;
  /** Only for the grantee, each; repeating one changes nothing. A grant in another state is a conflict. Null: it has received no such grant. */
  acceptGrant(granteeOrganizationId: string, grantId: string): Promise<Grant | null>;
  declineGrant(granteeOrganizationId: string, grantId: string): Promise<Grant | null>;
  endGrant(granteeOrganizationId: string, grantId: string): Promise<Grant | null>;
};

/** So that one owner cannot fill the list of another organization, which shows a limited number. */
const MOST_PENDING = 20;

/** The answers of the grantee: from which state to which. */
const ANSWERS = {
  accept: { from: 'pending', to: 'accepted' },
  decline: { from: 'pending', to: 'declined' },
  end: { from: 'accepted', to: 'ended' },
} as const satisfies Record<string, { from: GrantState; to: GrantState }>;

const IN_STATE: Readonly<Record<GrantState, string>> = {
  pending: 'This grant is pending: accept or decline it.',
  accepted: 'This grant was accepted; POST /end-grant ends it.',
  declined: 'This grant was declined. Its owner can create another one.',
  ended: 'This grant has ended. Its owner can create another one.',
  revoked: 'Its owner has revoked this grant, and can create another one.',
};

export function openGrants(options: {
  db: Db;
  clock: () => number;
  change: <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;
}): GrantAdministration {
  const { db, change } = options;
  const now = () => new Date(options.clock());

  /** Shared by `createGrant` and the demonstration. */
  async function insert(
    tx: Sql,
    owner: string,
    { granteeOrganizationId: grantee, access, servicerId = null }: GrantInput,
    accepted: boolean,
  ): Promise<Grant> {
    const terms = {
      owner_organization_id: owner,
      grantee_organization_id: grantee,
      access,
      servicer_id: servicerId,
    };
    const same = await store.sameActiveGrant(tx, terms);
    if (same) return grantOf(same);
    checkRoom('active grants given', await store.countActiveGrants(tx, { owner }));
    if (!accepted) {
      const pending = await store.countActiveGrants(tx, { owner, grantee, accepted: false });
      checkRoom('pending grants to one organization', pending, MOST_PENDING);
    }
    const at = now();
    const row = { ...terms, grant_id: newId('grant'), created_at: at, accepted_at: accepted ? at : null };
    await store.insertGrant(tx, row);
    return grantOf({ ...row, ended_at: null, revoked_at: null });
  }

  async function exist(tx: Sql, ids: readonly string[]): Promise<boolean> {
    for (const id of ids) {
      if (!isPlainId(id) || (await organization(tx, id)) === null) return false;
    }
    return true;
  }

  function answer(what: keyof typeof ANSWERS, grantee: string, grantId: string): Promise<Grant | null> {
    const { from, to } = ANSWERS[what];
    return change(async (tx) => {
      const row = isPlainId(grantId) ? await store.grantReceived(tx, grantee, grantId) : null;
      if (row === null) return null;
      const state = stateOf(row);
      if (state === to) return grantOf(row);
      if (state !== from) throw new AccessRefused('conflict', IN_STATE[state]);
      if (what === 'accept') {
        checkRoom('accepted grants received', await store.countActiveGrants(tx, { grantee, accepted: true }));
      }
      const at = now();
      const changed = { ...row, ...(what === 'accept' ? { accepted_at: at } : { ended_at: at }) };
      await store.answerGrant(tx, changed);
      return grantOf(changed);
    });
  }

  return {
    async createGrant(acting, input) {
      const owner = organizationActing(acting);
      checkGrant(owner, input);
      return change(async (tx) => {
        const both = [owner, input.granteeOrganizationId];
        if (!(await exist(tx, both))) return null;
        checkGiving(acting, OPENED_BY_GRANT[input.access], 'This grant');
        checkSameWorld(await sandboxOwners(tx, both));
        return insert(tx, owner, input, false);
      });
    },

    async grantDemo(owner, input) {
      return change(async (tx) => {
        if (!(await exist(tx, [owner, input.granteeOrganizationId]))) return null;
        const [madeBy] = await sandboxOwners(tx, [owner]);
        if (madeBy?.madeBy !== null) throw new Error('Only the demonstration gives grants that count as accepted.');
        return insert(tx, owner, input, true);
      });
    },

    listGrants(organizationId, { direction = null, ...page }) {
      const read = async (after: ListPlace | null, limit: number) =>
        isPlainId(organizationId) ? store.listGrants(db, organizationId, { direction, after, limit }) : [];
      return pageBy(page, read, (row) => ({
        ...grantOf(row),
        direction: row.owner_organization_id === organizationId ? 'given' : 'received',
      }));
    },

    async revokeGrant(ownerOrganizationId, grantId) {
      return change(async (tx) => {
        const grant = isPlainId(grantId) ? await store.grantGiven(tx, ownerOrganizationId, grantId) : null;
        if (!grant) return null;
        const revoked_at = grant.revoked_at ?? now();
        if (!grant.revoked_at) await store.revokeGrant(tx, grantId, revoked_at);
        return grantOf({ ...grant, revoked_at });
      });
    },

    acceptGrant: (grantee, grantId) => answer('accept', grantee, grantId),
    declineGrant: (grantee, grantId) => answer('decline', grantee, grantId),
    endGrant: (grantee, grantId) => answer('end', grantee, grantId),
  };
}

/** Live organizations among each other, and sandboxes of one organization: what is rehearsed is never beside what is real. */
function checkSameWorld(sandboxes: readonly { madeBy: string | null }[]): void {
  if (sandboxes.length === 0) return;
  const [one, other] = sandboxes;
  if (one?.madeBy != null && one.madeBy === other?.madeBy) return;
  const message =
    'A sandbox shares loans only with other sandboxes of the same organization, and a live organization only with live ones.';
  throw new AccessRefused('conflict', message);
}

function stateOf({ accepted_at, ended_at, revoked_at }: store.GrantRow): GrantState {
  if (revoked_at !== null) return 'revoked';
  if (ended_at !== null) return accepted_at === null ? 'declined' : 'ended';
  return accepted_at === null ? 'pending' : 'accepted';
}

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

const grantOf = (row: store.GrantRow): Grant => ({
  grantId: row.grant_id,
  ownerOrganizationId: row.owner_organization_id,
  granteeOrganizationId: row.grantee_organization_id,
  access: row.access,
  servicerId: row.servicer_id,
  state: stateOf(row),
  createdAt: row.created_at.toISOString(),
  acceptedAt: iso(row.accepted_at),
  endedAt: iso(row.ended_at),
  revokedAt: iso(row.revoked_at),
});
