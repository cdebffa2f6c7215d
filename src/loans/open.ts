/** Puts the module together: the door, then one service for each capability. Nothing is decided here. */
import type { Bureau } from '../bureau/bureau.ts';
import type { Screening } from '../bureau/screening/screening.ts';
import { openAllowances } from './allowance/allowance.ts';
import { openApprovals } from './approvals/approvals.ts';
import { openAudit } from './audit/audit.ts';
import { openBooks } from './books/books.ts';
import { openCycle } from './cycle/cycle.ts';
import type { AskRights } from './door/actor.ts';
import { type DoorOptions, openDoor, type Writer } from './door/door.ts';
import { openExports } from './exports/exports.ts';
import { type Feed, openFeed } from './feed/feed.ts';
import { openLedger } from './ledger/ledger.ts';
import { openMarket } from './market/market.ts';
import { openOrigination } from './origination/origination.ts';
import { openDisclosureBook } from './people/disclosures.ts';
import { openPartyShowing } from './people/parties.ts';
import { openPeople } from './people/people.ts';
import { openPolicies } from './policies/policies.ts';
import { openReads, type Reads } from './reads/reads.ts';
import { openReports } from './reports/reports.ts';
import { openTransfers, type Transfers } from './transfers/transfers.ts';

export type LoansOptions = Omit<DoorOptions, 'onSaved'> & {
  /** After so long a request has been answered, one way or the other (31 s). */
  requestMs?: number;
  bureau: Bureau;
  /** The credit bureau for sandboxes. It is separate, so that no real person's report is pulled for a test loan. */
  simulator: Bureau;
  /** The screening against sanctions lists outside of sandboxes; null or absent: nobody is screened. */
  screening?: Screening | null;
  /** The time that a caller waits for a test clock to reach its day, and for the dry run of a policy; 20 seconds when absent. */
  advancePatienceMs?: number;
  /** Absent: this process carries out no transfers of many loans, which are asked for at each step. */
  rightsNow?: AskRights;
};

export type OpenLoans = ReturnType<typeof openLoans>;

export function openLoans(options: LoansOptions) {
  const { bureau, simulator, screening = null, requestMs, advancePatienceMs: patienceMs, rightsNow = null } = options;
  const door = openDoor({ ...options, onSaved: () => feed.wrote() });
  const { once, clockView, setTimeZone, checkClock, clockProblem, warm } = door;
  const feed: Feed = openFeed(door);
  const book = openDisclosureBook(door);
  const parties = openPartyShowing(door);
  const ledger = openLedger({ ...door, reach: (actor, loanId) => reads.inner.reach(actor, loanId) });
  const reads: Reads = openReads({ ...door, book, parties, journal: ledger.journal });
  const { read, readPublic } = reads.service;
  const people = openPeople({ ...door, ...reads.inner, book, read, readPublic });
  const origination = openOrigination({ ...door, ...reads.inner, book, readPublic, bureau, simulator, screening });
  const approvals = openApprovals({ ...door, book });
  const write: Writer = approvals.requesting(
    door.writing({
      ...origination.prepared,
      ...people.prepared,
      transfer: (...call) => transfers.prepared.transfer(...call),
    }),
  );
  const books = openBooks({ ...door, requestMs });
  const reports = openReports({ ...door, looks: books.inner.looks });
  const allowances = openAllowances({ ...door, ...books.inner, positionDates: reports.positionDates });
  const cycle = openCycle({
    ...door,
    accrue: books.inner.accrual,
    patienceMs,
    afterAdvance: (organizationId) => transfers.service.carryOutDue(organizationId),
  });
  const transfers: Transfers = openTransfers({
    ...{ ...door, write, rightsNow },
    listLoans: reads.service.list,
    reach: cycle.reach,
  });
  const policies = openPolicies({ ...door, patienceMs });
  // Only services leave: what they hand to each other could write without an approval, or read without a disclosure.
  return {
    door: { once, clockView, setTimeZone, checkClock, clockProblem, warm },
    write,
    reads: reads.service,
    people: people.service,
    origination: origination.service,
    approvals: approvals.service,
    books: books.service,
    transfers: transfers.service,
    ...{ ledger, feed, reports, allowances, cycle, policies },
    audit: openAudit(door),
    exports: openExports({ ...door, feed, unsealing: { masterKeys: door.masterKeys, book, parties } }),
    market: openMarket({ ...door, readPublic }),
    /** Waits for what is under way; nothing more is taken. */
    async close(): Promise<void> {
      await Promise.all([door.queue.close(), cycle.close(), policies.close()]);
      await feed.close();
      // Those that cannot be saved now are lost.
      await people.service.saveSightings().catch(() => {});
    },
  };
}
