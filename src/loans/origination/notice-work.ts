/** Notices to applicants, written on a thread from the opened application and the last run of underwriting. */
import { namesCoApplicant, subjectsOf, textsIn } from '../../bureau/subjects.ts';
import type { PlainDate } from '../../core/calendar.ts';
import { isRefusal } from '../../core/refusal.ts';
import { adverseActionNotice, type NoticeGrounds, unassessedGround } from '../../underwriting/notice.ts';
import { incompleteNotice, scoreDisclosure } from '../../underwriting/other-notices.ts';
import { refuseApplication } from '../../underwriting/underwrite.ts';
import type { SealedPartyChange } from '../people/party-work.ts';
import {
  type Again,
  applicationOf,
  inputOf,
  personOf,
  type RunConditions,
  requestWith,
  runAgain,
  type Submitted,
} from './run-again.ts';

export type NoticeKind = 'adverseAction' | 'incompleteApplication' | 'scoreDisclosure';

/** The signer of a notice, the bureau whose report it is about, and the agency that supervises the creditor. */
export type NoticeRequest = {
  readonly kind: NoticeKind;
  readonly creditor: NoticeParty;
  readonly bureau: NoticeParty;
  readonly federalAgency: string;
  /** The principal reasons; absent: those of the assessment. */
  readonly reasons?: readonly string[];
  /** The person it is for: of a joint application each person has their own. */
  readonly party: keyof NoticeGrounds;
  /** The information that an incomplete application lacks; absent: what it cannot be assessed without. */
  readonly missing?: readonly string[];
  /** The day by which that is needed; absent: 30 days. */
  readonly respondBy?: PlainDate;
  /** The percentage of consumers with lower scores; absent: the distribution is told. */
  readonly scoreRank?: number;
};
export type NoticeParty = { readonly name: string; readonly address: string; readonly telephone: string };

/** `people`: those on the application. */
export type WrittenNotice = { readonly text: string; readonly people: 1 | 2 };

/** The reason that there is no notice: none is owed; the caller must give the reasons, or what is missing; there is no co-applicant. */
export type NoNotice = 'none' | 'reasons' | 'missing' | 'party';

type Owed = Submitted & {
  /** Null: it was not assessed here. */
  readonly run: Pick<Again, 'reports' | 'today'> | null;
  readonly asked: NoticeRequest;
  readonly date: PlainDate;
  readonly offersEnd: PlainDate;
  readonly respondBy: PlainDate;
  readonly sentTo: readonly SealedPartyChange[];
  /** The decision on the application; null: none stands. */
  readonly decision: { readonly approved: boolean } | null;
  readonly documentsRequested: boolean;
  readonly conditions: RunConditions;
};

/** The text of the notice that is owed, to the name and address of today (`sentTo`). */
export function writeNotice(owed: Owed): WrittenNotice | NoNotice {
  const { asked, loanId, sentTo, date, offersEnd } = owed;
  const { party, creditor, bureau, federalAgency } = asked;
  const person = personOf(owed);
  const request = requestWith(person, loanId, owed.changes);
  const isJoint = namesCoApplicant(request);
  if (party === 'coApplicant' && !isJoint) return 'party';
  const { info, prefix } = PARTIES[party];
  const texts = textsIn(requestWith(person, loanId, sentTo), info);
  const own = (member: string) => texts(`${prefix}${member}`);
  const name = [own('FirstName'), texts('MiddleInitial'), own('LastName')];
  const place = [own('City'), own('State'), own('Zip')];
  const parties = {
    ...{ creditor, bureau, federalAgency, date, offersEnd },
    applicantName: name.filter((part) => part !== '').join(' '),
    applicantAddress: [own('Address'), place.filter((part) => part !== '').join(' ')].filter((line) => line !== ''),
  };
  const text = TEXTS[asked.kind](owed, parties, isJoint);
  return typeof text === 'object' ? { ...text, people: isJoint ? 2 : 1 } : text;
}

const PARTIES = {
  applicant: { info: 'ApplicantInfo', prefix: 'Applicant' },
  coApplicant: { info: 'CoApplicantInfo', prefix: 'CoApplicant' },
} as const;

type Parties = Parameters<typeof adverseActionNotice>[1];

const TEXTS: Readonly<Record<NoticeKind, (owed: Owed, to: Parties, isJoint: boolean) => { text: string } | NoNotice>> =
  {
    adverseAction(owed, to, isJoint) {
      const { reasons, party } = owed.asked;
      const grounds = groundsOf(owed, isJoint);
      if (grounds === null) return 'none';
      const ground = grounds[party];
      if (ground === null) return 'party';
      const notice = reasons === undefined ? ground : { ...ground, reasons };
      const text = adverseActionNotice({ notice }, to);
      return notice.reasons.length === 0 ? 'reasons' : text === null ? 'none' : { text };
    },

    incompleteApplication({ asked, decision, documentsRequested, respondBy, ...submitted }, to) {
      if (decision !== null) return 'none';
      const missing = asked.missing ?? missingIn(submitted, documentsRequested);
      return missing.length === 0 ? 'missing' : { text: incompleteNotice({ missing, respondBy }, to) };
    },

    scoreDisclosure({ asked, decision, run, ...submitted }, to) {
      const assessment = run && runAgain({ ...submitted, ...run })?.assessment;
      if (!assessment || !(decision?.approved ?? assessment.decision === 'APPROVED')) return 'none';
      const ground = assessment.requested[asked.party];
      return ground === null ? 'party' : { text: scoreDisclosure(ground, asked.scoreRank ?? null, to) };
    },
  };

/** Null: nothing was refused, or what was offered instead was taken. */
function groundsOf({ run, decision, ...submitted }: Owed, isJoint: boolean): NoticeGrounds | null {
  if (decision?.approved === true) return null;
  const again = run && runAgain({ ...submitted, ...run });
  if (again !== null) return again.assessment.notice ?? (decision === null ? null : again.assessment.requested);
  if (decision === null) return null;
  const { file, contract } = submitted;
  const ground = unassessedGround(contract, { term: file.term, reported: file.assessed !== null });
  return { applicant: ground, coApplicant: isJoint ? ground : null };
}

/** The data without which the application cannot be assessed, in the words of a notice. */
function missingIn({ conditions, ...submitted }: Submitted & Pick<Owed, 'conditions'>, documents: boolean): string[] {
  const requested = documents ? ['The documents that we asked you for'] : [];
  const application = applicationOf(submitted);
  if (application === null) return ['Your social security number', ...requested];
  const joint = (subjectsOf(application.request) ?? []).length > 1;
  const refused = refuseApplication(inputOf(application, conditions), { joint });
  if (!isRefusal(refused) || refused.refused !== 'required') return requested;
  const [, words = 'Information about the vehicle and the loan'] =
    WORDS.find(([member]) => (refused.member ?? '').endsWith(member)) ?? [];
  return [words, ...requested];
}

const WORDS = [
  ['MonthlyGross', 'Your income, and proof of it'],
  ['CoApplicantSSN', 'The social security number of your co-applicant'],
  ['VehicleMileage', 'The mileage of the vehicle'],
  ['VehicleYear', 'The model year of the vehicle'],
  ['VehicleRetailValue', 'The value of the vehicle'],
  ['VehicleWholesaleValue', 'The value of the vehicle'],
] as const;
