/** The kinds of notices to an applicant: which is owed by the status of the application, and which fields each has. */
import type { Schemas } from 'daybook-sdk';
import { isWaiting, mustBeDecided } from './steps.ts';

type Request = Schemas['WriteAdverseActionNoticeRequest'];
export type NoticeKind = NonNullable<Request['kind']>;
export type NoticeParty = NonNullable<Request['party']>;

export const KINDS: Readonly<Record<NoticeKind, { title: string; about: string }>> = {
  adverseAction: {
    title: 'Adverse action',
    about: 'For a decline, or an offer of other terms: the principal reasons, the score and the applicant’s rights.',
  },
  incompleteApplication: {
    title: 'Incomplete application',
    about: 'For an application that was not decided: what is missing, and by when it is needed.',
  },
  scoreDisclosure: {
    title: 'Credit score disclosure',
    about: 'For credit that is approved on a report: the score, its key factors and how it compares.',
  },
};

/** The usual one at this step; null: none is owed. */
export function kindFor(status: string, assessed: boolean): NoticeKind | null {
  if (status === 'Rejected') return 'adverseAction';
  if (mustBeDecided(status)) return 'incompleteApplication';
  return isWaiting(status) && assessed ? 'scoreDisclosure' : null;
}

/** As typed. */
export type Typed = { reasons: string; missing: string; respondBy: string; scoreRank: string };
export const NOTHING_TYPED: Typed = { reasons: '', missing: '', respondBy: '', scoreRank: '' };

/** The members that belong to the kind, of those that were filled in. */
export function membersOf(
  kind: NoticeKind,
  { reasons, missing, respondBy, scoreRank }: Typed,
): Pick<Request, 'reasons' | 'missing' | 'respondBy' | 'scoreRank'> {
  const [own, lacks, rank] = [linesOf(reasons), linesOf(missing), scoreRank.trim()];
  if (kind === 'adverseAction') return own.length > 0 ? { reasons: own } : {};
  if (kind === 'scoreDisclosure') return rank === '' ? {} : { scoreRank: Number(rank) };
  return { ...(lacks.length > 0 && { missing: lacks }), ...(respondBy !== '' && { respondBy }) };
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
