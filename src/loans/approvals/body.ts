/** The body of a request as it is shown to whoever decides on it. Pure. */

/** Free text, and what is sealed of a body: details of a hold, changes of a party, the lender's own data, names of payees. Everything else is in the ledger too. */
export const PERSONAL_MEMBERS: ReadonlySet<string> = new Set([
  'reason',
  'details',
  'changes',
  'metadata',
  'customData',
  'evidence',
  'disbursements',
]);

/** Without the id of its loan. `personal` false: what may name a person is null. */
export function bodyShown(source: string, personal: boolean): Readonly<Record<string, unknown>> {
  const { loanId: _, ...body } = JSON.parse(source) as Record<string, unknown>;
  const members = Object.entries(body);
  return Object.fromEntries(
    members.map(([name, value]) => [name, personal || !PERSONAL_MEMBERS.has(name) ? value : null]),
  );
}
