/** A refusal in plain words: what it means, and what would be possible. The words are those of docs/refusals.md. */
import { count, day, money, words } from '../../format.ts';

/** The members of a problem that say more than its detail. */
export type RefusalFacts = {
  code?: string;
  payoff?: string;
  kept?: string;
  credit?: string;
  room?: string;
  daysPastDue?: number;
  defaultDays?: number;
  limit?: string;
  limitValue?: number;
  figure?: number;
  holds?: readonly { holdId: string; kind: string }[];
  date?: string;
  accounts?: readonly string[];
  transactions?: readonly string[];
  scope?: string;
  /** Shown by their texts, which are read for it. */
  stipulations?: readonly string[];
};

const TITLES: Readonly<Record<string, string>> = {
  conflict: 'This is not possible now',
  on_hold: 'A hold forbids this',
  policy_limit: 'The policy does not allow this',
  hard_stop: 'Nobody can approve this',
  offer_expired: 'The approval or offer has expired',
  report_expired: 'The credit report is too old',
  stipulations_open: 'Stipulations are open',
  not_waivable: 'This stipulation cannot be waived',
  depends: 'Later transactions depend on it',
  invalid_request: 'Some fields are invalid',
  target_forbidden: 'Events may not be delivered to this address',
  not_eligible: 'The loan is not eligible',
  rate_rise: 'The rate would rise',
  insufficient_scope: 'Your roles do not include this',
  not_granted: 'Your organization may not do this',
  own_request: 'You made this request yourself',
  above_limit: 'This is above your limit',
  precondition_failed: 'The loan has changed in the meantime',
  outcome_changed: 'The outcome has changed',
  already_decided: 'This was already decided',
  approval_lapsed: 'The request has lapsed',
  cycle_pending: 'A nightly cycle has not run yet',
  rate_limited: 'Too many requests',
  too_many_waiting: 'Too many requests are waiting',
  purpose_required: 'A purpose is required',
};

const ADVICE: Readonly<Record<string, string>> = {
  on_hold: 'Wait for the end of the hold, or release it.',
  policy_limit: 'Stay within the limit, or ask a user with the override permission.',
  depends: 'Undo the later transactions first, starting with the newest.',
  insufficient_scope: 'An administrator of your organization can give you a role that does.',
  not_granted: 'Ask the owner of the loan for a servicing grant, or ask the owner to do it.',
  own_request: 'Another user must approve it. You can withdraw it by rejecting it.',
  above_limit: 'Ask a user with a higher limit to approve it.',
  precondition_failed: 'The page has been refreshed. Review it, then decide.',
  cycle_pending: 'Wait until the nightly cycle has run.',
  rate_limited: 'Wait a moment, then try again.',
  too_many_waiting: 'Wait a moment, then try again.',
  unavailable: 'Try again in a moment. Nothing is done twice.',
  outcome_unknown: 'Try again: nothing is done twice, and the response shows whether it was done.',
  timed_out: 'Try again: nothing is done twice, and the response shows whether it was done.',
  idempotency_key_in_use: 'It is still in progress. Try again in a moment.',
};

export const refusalTitle = (code: string, fallback: string): string => TITLES[code] ?? fallback;

/** The message, where it has ids that the drawer shows as what they stand for. */
export const detailOf = (code: string, detail: string): string =>
  code === 'stipulations_open'
    ? 'The loan is funded once these are verified or, where that is possible, waived:'
    : detail;

/** Sentences about what would be possible. */
export function possible(facts: RefusalFacts): string[] {
  const sentences: string[] = [];
  if (facts.payoff !== undefined) sentences.push(`The payoff amount is ${money(facts.payoff)}.`);
  if (facts.credit !== undefined) sentences.push(`The borrower’s credit is ${money(facts.credit)}.`);
  if (facts.kept !== undefined) sentences.push(`${money(facts.kept)} of the loan is still on the books.`);
  if (facts.room !== undefined) sentences.push(`At most ${money(facts.room)} can be charged.`);
  if (facts.defaultDays !== undefined) {
    sentences.push(
      `A default can be declared at ${facts.defaultDays} days past due; the loan is at ${count(facts.daysPastDue)}.`,
    );
  }
  if (facts.limit !== undefined) {
    sentences.push(`Limit “${words(facts.limit)}”: ${count(facts.limitValue)}. The loan is at ${count(facts.figure)}.`);
  }
  for (const { kind, holdId } of facts.holds ?? [])
    sentences.push(`In force: ${words(kind).toLowerCase()} hold ${holdId}.`);
  if (facts.date !== undefined) sentences.push(`Date: ${day(facts.date)}.`);
  if (facts.accounts?.length) sentences.push(`Accounts: ${facts.accounts.map((one) => words(one)).join(', ')}.`);
  if (facts.transactions?.length) {
    sentences.push(
      `${facts.transactions.length === 1 ? 'One later transaction depends' : `${facts.transactions.length} later transactions depend`} on it.`,
    );
  }
  const advice = ADVICE[facts.code ?? ''];
  if (advice !== undefined) sentences.push(advice);
  return sentences;
}

/** A message of the service as the form says it: fields by their labels, dates and amounts as everywhere else. */
export function inFormWords(
  detail: string,
  labels: ReadonlyMap<string, string>,
  operation?: { path: string; title: string },
): string {
  const named =
    operation && detail.startsWith(`${operation.path} `)
      ? `“${operation.title}”${detail.slice(operation.path.length)}`
      : detail;
  return (
    named
      // The allowed operations are offered below it.
      .replace(/ Allowed now: [^.:]{0,2000}\./, '')
      .replaceAll(/\b[a-z][A-Za-z.]{1,60}\b/g, (name) => {
        // A word of the sentence is no member, even if a field is called so.
        if (!/[A-Z.]/.test(name)) return name;
        const label = labels.get(name) ?? labels.get(name.split('.').at(-1) ?? '');
        return label === undefined ? name : `“${label}”`;
      })
      .replaceAll(/\b\d{4}-\d\d-\d\d\b/g, (date) => day(date))
      .replaceAll(/\b\d{1,15}\.\d\d\b/g, (amount) => money(amount))
  );
}
