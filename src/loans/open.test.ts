/** The members of the opened module: nothing that writes without an approval, reads without a disclosure, or holds a key. */
import { expect, test } from 'vitest';
import { testLoans } from '../../test/support/loans.ts';

const SERVICES = {
  door: 'once clockView setTimeZone checkClock clockProblem warm',
  reads: 'read readState readFull readPublic list search allowed timeline holds',
  people: 'customData identity disclosures saveSightings',
  origination: 'create board deals report notice notices due cashflows calculateOffer signs stipulations',
  approvals: 'list read show open reject countPending organization',
  books:
    'trialBalance loanBalances accrualByLoan tieOut entries close closeMonths nextToClose periods rollForward exported codes setCodes recordEntry handEntries closeYear closedYears accrue',
  transfers: 'list start run goOn carryOutDue',
  ledger: 'transactions transaction block roots journal seal link',
  feed: 'read follow stopFollowing head changed caughtUp note wrote look close',
  reports: 'report rollRates positionDates',
  allowances: 'read book backTests',
  cycle: 'list read runCyclesThrough runAgain reach behind close advanceClock goOnAdvancing stopAdvancing',
  policies: 'add dryRun list read inForce close',
  audit: 'refused list',
  exports: 'start',
  market: 'list summary loan transactions proof',
};

test('only services leave the assembly', async () => {
  const room = await testLoans();
  const { write, close, ...services } = room.loans;
  expect([typeof write, typeof close]).toEqual(['function', 'function']);
  const members = Object.entries(services).map(([name, one]) => [name, Object.keys(one).sort().join(' ')]);
  expect(Object.fromEntries(members)).toEqual(
    Object.fromEntries(Object.entries(SERVICES).map(([name, all]) => [name, all.split(' ').sort().join(' ')])),
  );
  await room.close();
});
