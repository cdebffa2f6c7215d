/** Approvals in policies: the operations on no loan that may need one, and whether a version asks for fewer than before. Pure. */
import type { PlainDate } from '../core/calendar.ts';
import { type ApprovalRule, DEFAULT_LENDER_POLICY, type LenderPolicy } from '../core/policy.ts';
import type { Reader } from '../core/reader.ts';
import { type PolicyVersion, versionOn } from './versions.ts';

/** By their names in the audit trail. The policy without a lender may name them in `approvals`. */
export const ORGANIZATION_OPERATIONS = [
  'add-policy',
  'book-allowance',
  'close-period',
  'close-year',
  'create-client',
  'create-grant',
  'create-key',
  'create-user',
  'disable-user',
  'invite-user',
  'put-role',
  'record-entry',
  'remove-identity-provider',
  'rotate-client',
  'set-identity-provider',
  'update-client',
  'update-user',
] as const;

export type OrganizationOperation = (typeof ORGANIZATION_OPERATIONS)[number];

export const isOrganizationOperation = (name: string): name is OrganizationOperation =>
  (ORGANIZATION_OPERATIONS as readonly string[]).includes(name);

/** Those that have an amount, above which an approval may be required. */
export const hasOrganizationAmount = (name: string): boolean => name === 'record-entry' || name === 'book-allowance';

/** They belong to the organization, so the policy of one lender cannot name them. */
export function noteOrganizationOperations(read: Reader, policy: LenderPolicy, at: string): void {
  for (const operation of Object.keys(policy.approvals).filter(isOrganizationOperation)) {
    const detail = `${operation} belongs to no loan; name it in the policy without a lender.`;
    read.note(`${at}/approvals/${operation}`, { code: 'contradiction', detail });
  }
}

/** The policy of the organization itself: the one without a lender. */
export function organizationPolicyOn(versions: readonly PolicyVersion[], day: PlainDate): LenderPolicy {
  return versionOn(versions, null, day)?.values ?? DEFAULT_LENDER_POLICY;
}

type Draft = Pick<PolicyVersion, 'lenderId' | 'from' | 'values'>;

/** Whether on any day something needs an approval without the new version that does not with it, or can be approved by more. */
export function weakensApprovals(versions: readonly PolicyVersion[], draft: Draft): boolean {
  const { lenderId, from, values } = draft;
  const number = versions.length + 1;
  const added: PolicyVersion = {
    ...{
      number,
      policyId: '',
      lenderId,
      version: number,
      from,
      figuresFrom: from,
      recordedAt: '',
      clientId: '',
      values,
    },
  };
  const days = new Set([from, ...versions.map((one) => one.from).filter((day) => day > from)]);
  return [...days].some((day) => {
    if (versionOn([...versions, added], lenderId, day) !== added) return false;
    const before = versionOn(versions, lenderId, day)?.values ?? DEFAULT_LENDER_POLICY;
    if (before.approvers === 'people' && values.approvers !== 'people') return true;
    // Those of the organization stay as they are, whatever a lender's own policy says.
    const rules = Object.entries(before.approvals).filter(
      ([one]) => lenderId === null || !isOrganizationOperation(one),
    );
    return rules.some(([operation, rule]) => asksLess(rule, values.approvals[operation]));
  });
}

function asksLess(before: ApprovalRule, after: ApprovalRule | undefined): boolean {
  if (after === true) return false;
  return after === undefined || before === true || after.above > before.above;
}
