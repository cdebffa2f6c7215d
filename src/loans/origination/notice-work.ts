/** Notices to applicants, written on a thread from the opened application and the last run of underwriting. */
import { namesCoApplicant, textsIn } from '../../bureau/subjects.ts';
import type { PlainDate } from '../../core/calendar.ts';
import { adverseActionNotice, type NoticeGrounds, unassessedGround } from '../../underwriting/notice.ts';
import type { SealedPartyChange } from '../people/party-work.ts';
import { type Again, personOf, requestWith, runAgain, type Submitted } from './run-again.ts';

/** The signer of a notice of adverse action, the bureau whose report it was based on, and the agency that supervises the creditor. */
export type NoticeRequest = {
  readonly creditor: NoticeParty;
  readonly bureau: NoticeParty;
  readonly federalAgency: string;
  /** The principal reasons; absent: those of the assessment. */
  readonly reasons?: readonly string[];
  /** The person it is for: of a joint application each person has their own. */
  readonly party: keyof NoticeGrounds;
};
export type NoticeParty = { readonly name: string; readonly address: string; readonly telephone: string };

/**
 * The text of the notice that is owed, to the name and address of today (`sentTo`). Null: none is owed. `reasons`: the decision was a loan
 * officer's, whose reasons are not known. `party`: there is no co-applicant.
 */
export function writeNotice({
  parties: { reasons, party, ...parties },
  date,
  sentTo,
  declined,
  ...submitted
}: Submitted & {
  /** Null: it was not assessed here. */
  run: Pick<Again, 'reports' | 'today'> | null;
  parties: NoticeRequest;
  date: PlainDate;
  sentTo: readonly SealedPartyChange[];
  /** The loan was rejected. */
  declined: boolean;
}): string | 'reasons' | 'party' | null {
  const grounds = groundsOf(submitted, declined);
  if (grounds === null) return null;
  const ground = grounds[party];
  if (ground === null) return 'party';
  const notice = reasons === undefined ? ground : { ...ground, reasons };
  if (notice.reasons.length === 0) return 'reasons';
  const person = personOf(submitted);
  const { loanId } = submitted;
  const { info, prefix } = PARTIES[party];
  const texts = textsIn(requestWith(person, loanId, sentTo), info);
  const own = (member: string) => texts(`${prefix}${member}`);
  const name = [own('FirstName'), texts('MiddleInitial'), own('LastName')];
  const place = [own('City'), own('State'), own('Zip')];
  const to = {
    ...parties,
    date,
    applicantName: name.filter((part) => part !== '').join(' '),
    applicantAddress: [own('Address'), place.filter((part) => part !== '').join(' ')].filter((line) => line !== ''),
  };
  return adverseActionNotice({ notice }, to);
}

const PARTIES = {
  applicant: { info: 'ApplicantInfo', prefix: 'Applicant' },
  coApplicant: { info: 'CoApplicantInfo', prefix: 'CoApplicant' },
} as const;

/** Null: nothing was refused. */
function groundsOf(
  { run, ...submitted }: Submitted & { run: Pick<Again, 'reports' | 'today'> | null },
  declined: boolean,
): NoticeGrounds | null {
  const again = run && runAgain({ ...submitted, ...run });
  if (again !== null) return again.assessment.notice ?? (declined ? again.assessment.requested : null);
  if (!declined) return null;
  const { file, contract } = submitted;
  const ground = unassessedGround(contract, { term: file.term, reported: file.assessed !== null });
  const isJoint = namesCoApplicant(requestWith(personOf(submitted), submitted.loanId, submitted.changes));
  return { applicant: ground, coApplicant: isJoint ? ground : null };
}
