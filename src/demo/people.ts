/** The invented people who work in the demonstration's organization, and what each of them does there. Nobody can sign in as one of them. */
import type { Access } from '../access/access.ts';
import type { Command } from '../core/decide/decide.ts';

export const DEMO_PEOPLE = [
  { name: 'Nadia Fernwick', email: 'nadia.fernwick@example.com', role: 'agent' },
  { name: 'Rufus Tarnmere', email: 'rufus.tarnmere@example.com', role: 'collector' },
  { name: 'Edith Lindengrove', email: 'edith.lindengrove@example.com', role: 'manager' },
  { name: 'Jun Hazelcombe', email: 'jun.hazelcombe@example.com', role: 'underwriter' },
  { name: 'Omar Quillstead', email: 'omar.quillstead@example.com', role: 'accountant' },
  { name: 'Freya Marlwick', email: 'freya.marlwick@example.com', role: 'administrator' },
] as const;

export type DemoRole = (typeof DEMO_PEOPLE)[number]['role'];

/** By role. */
export type DemoPeople = Readonly<Record<DemoRole, { readonly userId: string }>>;

/** Payments, their returns and the assessment come from programs. */
const BY_A_PROGRAM: ReadonlySet<Command['do']> = new Set<Command['do']>([
  'loan-repay',
  'acknowledge-repayment',
  'return-repayment',
  'start-underwriting',
  'payment-reminders',
  'delinquent',
]);

const WHO: Partial<Record<Command['do'], DemoRole>> = {
  'request-documents': 'underwriter',
  'verify-documents': 'underwriter',
  'complete-underwriting': 'underwriter',
  'request-collateral': 'underwriter',
  'approve-collateral': 'underwriter',
  cancel: 'underwriter',
  'place-hold': 'collector',
  'record-recovery': 'collector',
  'waive-fee': 'agent',
  'assess-fee': 'agent',
  'payoff-quotes': 'agent',
  extend: 'agent',
  'change-due-date': 'agent',
  'refund-credit': 'agent',
};

/** The role that does this; null: a program. The manager does everything that no other role does. */
export function whoDoes(operation: Command['do']): DemoRole | null {
  return BY_A_PROGRAM.has(operation) ? null : (WHO[operation] ?? 'manager');
}

/** The people of the organization, created where they are missing. Their invitations are shown to nobody. */
export async function demoPeople(
  { listUsers, createUser }: Pick<Access, 'listUsers' | 'createUser'>,
  organizationId: string,
): Promise<DemoPeople> {
  const known = (await listUsers(organizationId, { limit: 100, cursor: null }))?.items ?? [];
  const people: Partial<Record<DemoRole, { userId: string }>> = {};
  for (const { email, name, role } of DEMO_PEOPLE) {
    people[role] =
      known.find((person) => person.email === email) ??
      (await createUser(organizationId, { email, name, roles: [role] }));
  }
  return people as DemoPeople;
}
