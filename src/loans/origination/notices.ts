/** Notices to applicants: made once, dated once, kept sealed beside the loan, and answered again as they were made. */
import { randomBytes } from 'node:crypto';
import { addDays, daysBetween, type PlainDate } from '../../core/calendar.ts';
import { loanOn } from '../../core/decide/operation.ts';
import { onHold } from '../../core/decide/refusals.ts';
import { offerEnds } from '../../core/expiry.ts';
import { type Loan, UNDECIDED } from '../../core/loan.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import type { Db } from '../../store/db/db.ts';
import {
  type KeptNotice,
  keepNotice,
  listNoticesOwed,
  type NoticeOwed,
  readNotices,
} from '../../store/origination/notices.ts';
import { disclose } from '../../vault/disclose.ts';
import type { DataKey, MasterKeys } from '../../vault/master-keys.ts';
import { sealNotice, unsealNotice } from '../../vault/seal.ts';
import type { Workers } from '../../workers/workers.ts';
import type { Actor } from '../door/actor.ts';
import { type Clocks, todayBy } from '../door/clocks.ts';
import type { FairReads } from '../door/fair-reads.ts';
import { maySeePersonal, roleOf } from '../door/permissions.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import type { DisclosureBook } from '../people/disclosures.ts';
import { changesOn, markupCapOf, openCases, runsOf, submittedOf } from './cases.ts';
import type * as Work from './notice-work.ts';
import type { NoNotice, NoticeRequest } from './notice-work.ts';

export type NoticesOptions = {
  db: Db;
  reads: FairReads;
  clock: () => number;
  clocks: Clocks;
  masterKeys: MasterKeys;
  book: DisclosureBook;
  workers: Workers;
};

/** A notice as it was made. `text` is null for callers that may not see personal data, and once the borrower was erased. */
export type Notice = Omit<KeptNotice, 'sealed'> & { readonly text: string | null };

/** As long as a run takes, which is done again for a notice. */
const WORK_MS = 10_000;
/** Days to complete an application, where the notice names no day; and the most that it may give. */
const RESPOND_DAYS = 30;
const LATEST_RESPONSE = 90;

export function openNotices({ db, reads, clock, clocks, masterKeys, book, workers }: NoticesOptions) {
  const cases = openCases({ db, reads, clock, clocks, masterKeys });
  const work = workers.module<typeof Work>(new URL('./notice-work.ts', import.meta.url), { limitMs: WORK_MS });
  return { notice, notices, due };

  /**
   * The notice that is owed to a person on the application: the one that was made before for the same run, or a new one. Null: no such loan;
   * otherwise why there is none.
   */
  async function notice(
    actor: Actor,
    loanId: string,
    asked: NoticeRequest,
  ): Promise<(Notice & { text: string }) | Refusal | NoNotice | null> {
    const of = await cases.read(actor, loanId);
    if (of === null || roleOf(actor, of.loaded.known) === null) return null;
    const when = await cases.now(of);
    const { today: date } = when;
    const { known, events } = of.loaded;
    const loan = loanOn({ folding: known.folding, events }, date) as Loan;
    const held = onHold(loan, 'notices', 'required');
    if (held !== null) return held;
    const again = await cases.lastRun(of);
    const sentTo = changesOn(of, events, date);
    const submitted = again ?? submittedOf(of, sentTo);
    if (submitted === null || of.person === null) return 'none';
    const respondBy = asked.respondBy ?? addDays(date, RESPOND_DAYS);
    if (respondBy <= date || respondBy > addDays(date, LATEST_RESPONSE)) return refuseDay(date);
    const decision = loan.decision ?? (loan.stage === 'Rejected' ? { approved: false } : null);
    // An offer has been taken, or the request is granted: nothing was refused.
    if (asked.kind === 'adverseAction' && decision?.approved === true) return 'none';
    const run = runsOf(of);
    const { dataKey } = of.person;
    const { kind, party } = asked;
    const same = (one: KeptNotice) => one.kind === kind && one.party === party && one.run === run;
    const disclosed = disclose(actor, { loanId, what: 'notice', at: clock() }, async () => {
      const kept = (await readNotices(db, loanId)).find(same);
      if (kept !== undefined) return kept;
      const written = await work.run('writeNotice', shareOf(actor), {
        ...submitted,
        ...{ run: again, asked, date, respondBy, sentTo, decision },
        offersEnd: offerEnds(of.file.assessedWith?.day ?? date, loan.policy),
        documentsRequested: loan.stage === 'DocumentsRequested',
        conditions: { ...when, markupCap: markupCapOf(of, date) },
      });
      if (typeof written === 'string') return written;
      const { text, people } = written;
      const noticeId = `notice_${randomBytes(16).toString('hex')}`;
      const row = { loanId, noticeId, kind, party, run, version: known.version, madeOn: date, at: new Date(clock()) };
      return keepNotice(db, { ...row, people, sealed: sealNotice(dataKey, loanId, text) });
    });
    if ('denied' in disclosed) throw new Error('A notice came through without its scope or key.');
    const found = await disclosed.data;
    if (typeof found === 'string') return found;
    await book.enter(actor, [{ entry: disclosed.entry, dataKey }]);
    return opened(found, loanId, dataKey);
  }

  /** Those that were made, with their texts for whoever may see personal data, which is then a disclosure. Null: no such loan. */
  async function notices(
    actor: Actor,
    loanId: string,
  ): Promise<{ version: number; items: Notice[]; disclosed: boolean } | null> {
    const of = await cases.read(actor, loanId);
    if (of === null || roleOf(actor, of.loaded.known) === null) return null;
    const { version } = of.loaded.known;
    const kept = await readNotices(reads(actor), loanId);
    const dataKey = of.person?.dataKey ?? null;
    if (kept.length === 0 || dataKey === null || !maySeePersonal(actor)) {
      return { version, items: kept.map(({ sealed: _, ...one }) => ({ ...one, text: null })), disclosed: false };
    }
    const disclosed = disclose(actor, { loanId, what: 'notice', at: clock() }, () =>
      kept.map((one) => opened(one, loanId, dataKey)),
    );
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    await book.enter(actor, [{ entry: disclosed.entry, dataKey }]);
    return { version, items: disclosed.data, disclosed: true };
  }

  /**
   * Applications of the organization to whose people something is owed: those that were declined a notice of adverse action, the others a
   * decision or a notice of incompleteness. The days are counted from the day the application was received, which is the earliest that the
   * law could count from.
   */
  async function due(actor: Actor, { after, limit }: DueQuery): Promise<NoticeDue[]> {
    const { organizationId } = actor;
    const today = todayBy(await clocks.one(organizationId), clock());
    const asked = { organizationId, after, limit, statuses: [...UNDECIDED, 'Rejected'] };
    const since = new Date(Date.parse(today) - KEPT_DAYS * DAY_MS);
    const rows = await listNoticesOwed(reads(actor), { ...asked, since });
    return rows.map((row) => {
      const dueOn = addDays(row.receivedOn, NOTICE_DAYS);
      const owes = row.status === 'Rejected' ? 'adverseAction' : 'decision';
      return { ...row, owes, dueOn, daysLeft: daysBetween(today, dueOn) };
    });
  }
}

export type DueQuery = { readonly after: { receivedOn: PlainDate; loanId: string } | null; readonly limit: number };

/** `daysLeft` is negative once the day is past. */
export type NoticeDue = NoticeOwed & {
  readonly owes: 'adverseAction' | 'decision';
  readonly dueOn: PlainDate;
  readonly daysLeft: number;
};

/** Days in which a person is told what became of an application (12 CFR 1002.9(a)(1)(i) and (c)(1)). */
const NOTICE_DAYS = 30;
/** Days for which records of an application are kept (12 CFR 1002.12(b), 25 months): older ones are not looked at. */
const KEPT_DAYS = 760;
const DAY_MS = 86_400_000;

function opened({ sealed, ...one }: KeptNotice, loanId: string, dataKey: DataKey): Notice & { text: string } {
  return { ...one, text: unsealNotice(dataKey, loanId, sealed) };
}

function refuseDay(today: PlainDate): Refusal {
  const detail = `The day must be after ${today} and at most ${LATEST_RESPONSE} days later.`;
  return refuse('invalid_value', detail, { member: 'respondBy' });
}
