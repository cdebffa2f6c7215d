/** A refusal in plain words: what it means, and what would be possible. The words are those of docs/refusals.md. */
import { count, day, money, words } from '../../format.ts';

/** The members of a problem that say more than its detail. */
export type Told = {
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
};

const TITLES: Readonly<Record<string, string>> = {
  conflict: 'This is not possible now',
  on_hold: 'A hold forbids this',
  policy_limit: 'The policy does not allow this',
  depends: 'Something else rests on it',
  invalid_request: 'Some fields need another value',
  not_eligible: 'The loan is not eligible',
  rate_rise: 'The rate would rise',
  insufficient_scope: 'Your roles do not include this',
  not_granted: 'Your organization may not do this',
  own_request: 'You asked for this yourself',
  above_limit: 'This is above your limit',
  precondition_failed: 'The loan has changed in the meantime',
  outcome_changed: 'The outcome has changed',
  already_decided: 'This was decided before',
  approval_lapsed: 'The request has lapsed',
  cycle_pending: 'A night has not run yet',
  rate_limited: 'Too many requests',
  too_many_waiting: 'Too many requests are waiting',
  purpose_required: 'Say why you need it',
};

const ADVICE: Readonly<Record<string, string>> = {
  on_hold: 'Wait for the end of the hold, or release it.',
  policy_limit: 'Stay within the limit, or let somebody with the right to override do it.',
  depends: 'Undo what came later first, the latest first.',
  insufficient_scope: 'An administrator of your organization can give you a role that does.',
  not_granted: 'Ask the owner of the loan for a servicing grant, or let the owner do it.',
  own_request: 'Let somebody else approve it. You can withdraw it by rejecting it.',
  above_limit: 'Let somebody with a higher limit approve it.',
  precondition_failed: 'What is shown has been read again. Look at it, then decide.',
  cycle_pending: 'Wait until the nightly cycle has run.',
  rate_limited: 'Wait a moment, then try again.',
  too_many_waiting: 'Wait a moment, then try again.',
  unavailable: 'Try again in a moment. Nothing is done twice.',
  outcome_unknown: 'Try again: if it was done, the answer says so, and it is not done twice.',
  timed_out: 'Try again: if it was done, the answer says so, and it is not done twice.',
  idempotency_key_in_use: 'It is still being carried out. Try again in a moment.',
};

export const refusalTitle = (code: string, fallback: string): string => TITLES[code] ?? fallback;

/** Sentences about what would be possible. */
export function possible(told: Told): string[] {
  const said: string[] = [];
  if (told.payoff !== undefined) said.push(`The payoff amount is ${money(told.payoff)}.`);
  if (told.credit !== undefined) said.push(`The borrower’s credit is ${money(told.credit)}.`);
  if (told.kept !== undefined) said.push(`${money(told.kept)} of the loan is still on the books.`);
  if (told.room !== undefined) said.push(`At most ${money(told.room)} can be charged.`);
  if (told.defaultDays !== undefined) {
    said.push(
      `A default can be declared at ${told.defaultDays} days past due; the loan is at ${count(told.daysPastDue)}.`,
    );
  }
  if (told.limit !== undefined) {
    said.push(`Limit “${words(told.limit)}”: ${count(told.limitValue)}. The loan is at ${count(told.figure)}.`);
  }
  for (const { kind, holdId } of told.holds ?? []) said.push(`In force: ${words(kind).toLowerCase()} hold ${holdId}.`);
  if (told.date !== undefined) said.push(`The date in question is ${day(told.date)}.`);
  if (told.accounts?.length) said.push(`Accounts: ${told.accounts.map((one) => words(one)).join(', ')}.`);
  if (told.transactions?.length) {
    said.push(
      `${told.transactions.length === 1 ? 'One later transaction rests' : `${told.transactions.length} later transactions rest`} on it.`,
    );
  }
  const advice = ADVICE[told.code ?? ''];
  if (advice !== undefined) said.push(advice);
  return said;
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
      // What is allowed instead is offered below it.
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
