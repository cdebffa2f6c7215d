/** The sealed parts of one loan: they open, and what they hold gives the commitments of the ledger. */
import type { Sql } from '../../store/db/db.ts';
import { readPartyChanges } from '../../store/people/parties.ts';
import { type CheckedBook, readNotesThrough, type SealedPerson } from '../../store/verify/verify.ts';
import { commitmentsTo } from '../../vault/commitments.ts';
import { type DataKey, type MasterKeys, unwrap } from '../../vault/master-keys.ts';
import { unsealNote, unsealPartyChange, unsealPublicPart, unsealRecord } from '../../vault/seal.ts';
import type { Committed } from './chain.ts';
import type { BookComplaint, Tell } from './complaint.ts';

/** The data key of a loan; null, with a complaint, when it does not open. */
export function openDataKey(loanId: string, person: SealedPerson, masterKeys: MasterKeys, tell: Tell): DataKey | null {
  const master = masterKeys.find(person.keyId);
  const key = master === null ? null : unwrap(master, person.wrappedKey, loanId);
  if (master === null) tell('people', null, 'key_id names a master key that is missing');
  else if (key === null) tell('people', null, 'wrapped_key cannot be decrypted');
  return key;
}

/** Sealed parts can be decrypted, and with its salt everything submitted or assessed matches its commitment in the ledger. */
export function checkHandedOver(
  row: CheckedBook,
  person: SealedPerson & { readonly key: DataKey },
  { given, present, runs }: Committed,
  tell: Tell,
): void {
  const compare = (
    table: BookComplaint['table'],
    what: string,
    found: string | null | undefined,
    expected?: string,
  ) => {
    if (found !== expected) tell(table, null, `${what} does not match its commitment`);
  };
  try {
    const { personal, record, salt } = unsealRecord(person.key, `0x${row.loan_id}`, person.sealed);
    const parts = (file: string, packed: Uint8Array): Record<string, string | null> => {
      const publicPart = opened(person.key, `0x${row.loan_id}`, packed);
      const found = commitmentsTo(salt, { personal, record, file, publicPart: publicPart ?? '' });
      return publicPart === null ? { ...found, publicPart: null } : found;
    };
    const first = parts(row.file ?? '', row.public_part);
    compare('people', 'the record', first.record, present.record);
    compare('people', 'the details', first.details, present.details);
    if (row.file !== null) {
      compare('applications', 'file', first.file, given.file);
      compare('applications', 'public_part', first.publicPart, given.publicPart);
    }
    if ((row.runs ?? []).join() !== runs.join()) {
      const compared = { expected: runs.join(), found: (row.runs ?? []).join() };
      tell('assessments', null, 'their number does not match the events that commit to one', compared);
    } else if (row.assessed_file !== null) {
      const last = parts(row.assessed_file, row.assessed_part);
      compare('assessments', 'file', last.file, present.file);
      compare('assessments', 'public_part', last.publicPart, present.publicPart);
    }
  } catch {
    // Not only `SealBroken`: what opens and is no zstd or JSON fails in its own way, and no error's text may be repeated here.
    tell('people', null, 'sealed cannot be decrypted');
  }
}

function opened(key: DataKey, loanId: string, sealed: Uint8Array): Buffer | null {
  try {
    return unsealPublicPart(key, loanId, sealed);
  } catch {
    return null;
  }
}

/** A change of a party, as the ledger names it. */
export type CommittedChange = { readonly sequence: number; readonly commitment: string };

/** The sealed texts beside transactions: reasons, and changes of parties. */
export async function checkBeside(
  db: Sql,
  row: CheckedBook,
  key: DataKey,
  changes: readonly CommittedChange[] | null,
  tell: Tell,
): Promise<void> {
  const loanId = `0x${row.loan_id}`;
  for (const { sequence, note } of row.notes > 0 ? await readNotesThrough(db, loanId, row.version ?? 0) : []) {
    try {
      unsealNote(key, loanId, note);
    } catch {
      tell('events', sequence, 'note cannot be decrypted');
    }
  }
  if (changes === null || (changes.length === 0 && row.party_changes === 0)) return;
  if (changes.length !== row.party_changes) {
    const compared = { expected: changes.length, found: row.party_changes };
    tell('party_changes', null, 'their number does not match the events that commit to one', compared);
  }
  const stored = await readPartyChanges(db, loanId);
  for (const { sequence, commitment } of changes) {
    const sealed = stored.get(commitment);
    if (sealed === undefined) tell('party_changes', sequence, 'is missing');
    else {
      try {
        unsealPartyChange(key, loanId, sealed, commitment);
      } catch {
        tell('party_changes', sequence, 'sealed cannot be decrypted, or does not match its commitment');
      }
    }
  }
}
