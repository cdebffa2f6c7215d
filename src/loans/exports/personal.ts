/**
 * The personal columns of loans, in the order of `columns.ts`. Each loan is a disclosure, entered before its row leaves; many share one
 * statement. Of a loan whose full record the caller may not read, and of a borrower who was erased, the columns are empty.
 */
import { requestOf } from '../../boarding/record-parts.ts';
import { textsIn } from '../../bureau/subjects.ts';
import { customDataOf } from '../../core/custom-data.ts';
import type { Sql } from '../../store/db/db.ts';
import { readExportedPeople } from '../../store/exports/exports.ts';
import { disclose } from '../../vault/disclose.ts';
import { dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import { unsealLargeRecord } from '../../vault/seal.ts';
import type { Actor } from '../door/actor.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import { membersOf } from '../people/custom-data.ts';
import type { DisclosureBook } from '../people/disclosures.ts';
import type { PartyShowing } from '../people/parties.ts';
import { COLUMNS } from './columns.ts';
import type { Viewed } from './reach.ts';
import type { Cell } from './text.ts';

/** By loan, once the disclosures are on disk. */
export type PersonalCells = (actor: Actor, loans: readonly Viewed[]) => Promise<(loanId: string) => readonly Cell[]>;

export type PersonalOptions = {
  reads: (actor: Actor) => Sql;
  clock: () => number;
  masterKeys: MasterKeys;
  book: DisclosureBook;
  parties: PartyShowing;
  turn: (organizationId: string) => Promise<void>;
};

const EMPTY: readonly Cell[] = COLUMNS.loans.filter((one) => one.personal === true).map(() => null);

export function openPersonalCells({ reads, clock, masterKeys, book, parties, turn }: PersonalOptions): PersonalCells {
  return async (actor, loans) => {
    const open = loans.filter(({ open }) => open);
    const people = await readExportedPeople(
      reads(actor),
      open.map(({ loanId }) => loanId),
    );
    const found = new Map<string, { cells: readonly Cell[]; revision: number }>();
    const entries: Parameters<DisclosureBook['enter']>[1][number][] = [];
    for (const { loanId, organizationId, file, loan } of open) {
      const person = people.get(loanId);
      if (person === undefined) continue;
      // A record takes a millisecond or more.
      await turn(shareOf(actor));
      const dataKey = dataKeyOf(masterKeys, person, loanId);
      const { record: sealed, personal } = await unsealLargeRecord(dataKey, loanId, person.sealed);
      const record = await parties.shownRecord(actor, loanId, { record: sealed, dataKey }, loan);
      const latest = customDataOf(loan, organizationId);
      const kept = await membersOf(reads(actor), { loanId, dataKey, latest });
      const custom = kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept));
      const disclosed = disclose(actor, { loanId, what: 'export', at: clock() }, () => [
        ...cellsOf(file.borrowerId, record.toString('utf8'), personal.vin),
        custom,
      ]);
      if ('denied' in disclosed) throw new Error('Personal data was to be exported without its scope or key.');
      found.set(loanId, { cells: disclosed.data, revision: person.revision });
      entries.push({ entry: disclosed.entry, dataKey });
    }
    const seen = entries.length === 0 ? new Map() : await book.enter(actor, entries);
    return (loanId) => {
      const one = found.get(loanId);
      // Another revision: erased meanwhile, or assessed again, and then the next export has it.
      return one !== undefined && seen.get(loanId)?.revision !== null ? one.cells : EMPTY;
    };
  };
}

function cellsOf(borrowerId: string, record: string, vin: string): Cell[] {
  const request: unknown = JSON.parse(requestOf(record));
  const applicant = textsIn(request, 'ApplicantInfo');
  const other = textsIn(request, 'CoApplicantInfo');
  const texts = [
    borrowerId,
    applicant('ApplicantFirstName'),
    applicant('ApplicantLastName'),
    applicant('ApplicantDOB'),
    applicant('ApplicantEmail') || applicant('Email'),
    applicant('HomePhone'),
    applicant('ApplicantAddress') || applicant('ApplicantFullAddress'),
    applicant('ApplicantCity'),
    applicant('ApplicantState'),
    applicant('ApplicantZip'),
    other('CoApplicantFirstName'),
    other('CoApplicantLastName'),
    vin,
  ];
  return texts.map((text) => (text === '' ? null : text));
}
