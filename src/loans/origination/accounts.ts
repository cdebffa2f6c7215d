/** The ledger accounts of the parties of a new loan. Pure. */
import type { LoanFile } from '../../boarding/file.ts';
import { asAddress, type PartyRole, partyAddress } from '../../vault/party.ts';

/** The caller's ledger accounts in their checksummed form, or derived ones. The name of a member that is no address. */
export function withAccounts(
  partyKey: Uint8Array,
  organizationId: string,
  file: LoanFile,
): LoanFile | 'borrower' | 'initialLender' | 'loanServicer' {
  const account = (given: string, role: PartyRole, reference: string) =>
    given === '' ? partyAddress(partyKey, organizationId, role, reference) : asAddress(given);
  const borrower = account(file.borrower, 'borrower', file.borrowerId);
  const initialLender = account(file.initialLender, 'lender', file.lenderId);
  // A lender that names no servicer services its loans itself.
  const loanServicer = account(file.loanServicer, 'servicer', file.primaryServicerId || file.lenderId);
  if (borrower === null) return 'borrower';
  if (initialLender === null) return 'initialLender';
  if (loanServicer === null) return 'loanServicer';
  return { ...file, borrower, initialLender, loanServicer };
}
