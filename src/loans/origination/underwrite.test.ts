/** Underwriting with two callers at once, in one process and in two: one pull, one run, and decisions on the run that stands. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { approve, person, requestOf } from '../../../test/support/approving.ts';
import { ACTOR, PLAIN, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import type { Bureau, BureauReport } from '../../bureau/bureau.ts';
import { simulate } from '../../bureau/simulator/simulator.ts';
import type { LoanEvent } from '../../core/event.ts';
import { cents } from '../../core/money.ts';
import type { Db } from '../../store/db/db.ts';
import { volumeOf } from '../../store/db/volumes.ts';
import type { LoanCommand, Outcome, WriteOptions } from '../door/write.ts';
import type { OpenLoans } from '../open.ts';
import type { FullView, LoanView } from '../reads/view.ts';

const PRIME = '666-00-0001';
const SUBPRIME = '666-00-0004';

let room: TestLoans;
/** Ids of the pulls that reached the bureau. */
let pulled: string[];
/** The person whose report the bureau returns for every request; null: the requested person. */
let ssn: string | null;
let answers: ((report: BureauReport) => Promise<Awaited<ReturnType<Bureau['pull']>>>) | null;

const bureau: Bureau = {
  name: 'counting',
  async pull(subject, asked) {
    pulled.push(asked.pullId);
    const report = simulate(ssn === null ? subject : { ...subject, ssn }, asked);
    return answers === null ? report : answers(report as BureauReport);
  },
};

beforeAll(async () => {
  room = await testLoans({ bureau });
});
beforeEach(() => {
  [pulled, ssn, answers] = [[], null, null];
});
afterAll(() => room.close());

let applications = 0;
async function application(more: object = {}): Promise<string> {
  applications += 1;
  const body = {
    applicationId: `UW-${applications}`,
    ...{ borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan', loanAmount: '18000', interestRate: '9.5', term: 60 },
    Request: {
      ApplicantInfo: { ApplicantSSN: PRIME, ApplicantState: 'OH', MonthlyGross: 6500, HousingMonthlyPayment: '900' },
      VehicleInfo: { VehicleYear: '2024', VehicleMileage: '21000', VehicleWholesaleValue: '22000' },
    },
    ...more,
  };
  const given = { source: JSON.stringify(body), answer: () => '' };
  const outcome = await room.loans.origination.create(ACTOR, given, PLAIN);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.change.loanId;
}

const START: LoanCommand = { do: 'start-underwriting' };
const REPULL: LoanCommand = { do: 'start-underwriting', repull: true };
const choose = (dealIndex: number): LoanCommand => ({
  do: 'complete-underwriting',
  approved: true,
  dealIndex,
  reason: 'An officer decided',
  reasonCode: 'other',
});

const write = (loans: OpenLoans, loanId: string, command: LoanCommand, how: Partial<WriteOptions> = {}) =>
  loans.write(ACTOR, { loanId, command, reason: null, answer: (done) => done.transactionHash }, { ...PLAIN, ...how });

const hashOf = (outcome: Outcome) => (outcome.kind === 'done' ? outcome.change.transactionHash : outcome.kind);

async function viewOf(loanId: string): Promise<LoanView> {
  const view = await room.loans.reads.read(ACTOR, loanId, { asOf: null, knownAt: null });
  if (view === null || view === 'before') throw new Error('No such loan.');
  return view;
}
async function fullOf(loanId: string): Promise<FullView> {
  const reader = { ...ACTOR, scopes: new Set([...ACTOR.scopes, 'loans:read_pii']) };
  const full = await room.loans.reads.readFull(reader, loanId, { asOf: null, knownAt: null });
  if (full === null || full === 'before') throw new Error('No such loan.');
  return full;
}
const typesOf = async (loanId: string) => (await viewOf(loanId)).events.map(({ type }) => type);

/** Something that is waited for until the test lets it go on. */
function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** A process in which something happens right before its first save. */
function interrupted(meanwhile: () => Promise<unknown>): OpenLoans {
  let waiting = true;
  const query = async (text: string, values?: readonly unknown[], name?: string) => {
    if (name?.startsWith('save_batch') && waiting) {
      waiting = false;
      await meanwhile();
    }
    return room.db.query(text, values, name);
  };
  const transaction: Db['transaction'] = async (work) => {
    if (waiting) {
      waiting = false;
      await meanwhile();
    }
    return room.db.transaction(work);
  };
  return room.another({ db: { ...room.db, query: query as Db['query'], transaction } });
}

describe('two callers who start underwriting at the same time', () => {
  test.each(['one process', 'two processes'])(
    'in %s make one pull and one run, and get the same answer',
    async (how) => {
      const loanId = await application();
      const other = how === 'one process' ? room.loans : room.another();
      const asked = gate();
      const later = gate();
      answers = async (report) => {
        asked.open();
        await later.passed;
        return report;
      };
      const first = write(room.loans, loanId, START);
      await asked.passed;
      const second = write(other, loanId, START);
      later.open();
      const outcomes = await Promise.all([first, second]);
      expect(pulled).toHaveLength(1);
      expect(await typesOf(loanId)).toEqual(['created', 'underwritingStarted']);
      expect(hashOf(outcomes[0])).toMatch(/^0x/);
      expect(hashOf(outcomes[1])).toBe(hashOf(outcomes[0]));
    },
  );

  test('but one after the other they are two runs, the second on the same report unless it asks for a new one', async () => {
    const loanId = await application();
    const hashes = [hashOf(await write(room.loans, loanId, START)), hashOf(await write(room.loans, loanId, START))];
    expect(new Set(hashes).size).toBe(2);
    expect(pulled).toHaveLength(1);
    expect((await viewOf(loanId)).file.assessedWith).toMatchObject({ run: 2, reportsOf: 1 });
    expect((await write(room.loans, loanId, REPULL)).kind).toBe('done');
    expect(new Set(pulled).size).toBe(2);
    const { assessedWith, earlierRuns } = (await viewOf(loanId)).file;
    expect(assessedWith).toMatchObject({ run: 3, reportsOf: 3 });
    expect(earlierRuns).toMatchObject([
      { run: 2, reportsOf: 1, decision: 'APPROVED' },
      { run: 1, reportsOf: 1, decision: 'APPROVED' },
    ]);
  });

  test('and one of them wants new reports, it does not take the other’s run for its own', async () => {
    const loanId = await application();
    await write(room.loans, loanId, START);
    const loans = interrupted(() => write(room.loans, loanId, START));
    expect((await write(loans, loanId, REPULL)).kind).toBe('done');
    expect((await viewOf(loanId)).file.assessedWith).toMatchObject({ run: 3, reportsOf: 3 });
    expect(await typesOf(loanId)).toEqual(['created', ...Array(3).fill('underwritingStarted')]);
  });

  test('under one idempotency key get one answer', async () => {
    const loanId = await application();
    const how = { idempotency: { key: 'K', request: 'start' } };
    const outcomes = await Promise.all([write(room.loans, loanId, START, how), write(room.loans, loanId, START, how)]);
    // The second one finds the first under way, or its answer.
    expect(outcomes.map(({ kind }) => kind).sort()[0]).toBe('done');
    expect(['key_running', 'replayed']).toContain(outcomes.map(({ kind }) => kind).sort()[1]);
    expect((await write(room.loans, loanId, START, how)).kind).toBe('replayed');
    expect(await typesOf(loanId)).toEqual(['created', 'underwritingStarted']);
    expect(pulled).toHaveLength(1);
  });

  test('under one idempotency key make one pull, also when one has finished before the other reads the loan', async () => {
    const loanId = await application();
    const how = { idempotency: { key: 'K-late', request: 'start' } };
    let waiting = true;
    const query = async (text: string, values?: readonly unknown[], name?: string) => {
      if (name === 'read_case' && waiting) {
        waiting = false;
        expect((await write(room.loans, loanId, START, how)).kind).toBe('done');
      }
      return room.db.query(text, values, name);
    };
    const late = room.another({ db: { ...room.db, query: query as Db['query'] } });
    expect((await write(late, loanId, START, how)).kind).toBe('replayed');
    expect(await typesOf(loanId)).toEqual(['created', 'underwritingStarted']);
    expect(pulled).toHaveLength(1);
  });
});

describe('two callers with keys of their own who share a run', () => {
  test('both find their answer again, and no second run is made', async () => {
    const loanId = await application();
    const [asked, later] = [gate(), gate()];
    answers = async (report) => {
      asked.open();
      await later.passed;
      return report;
    };
    const how = (key: string) => ({ idempotency: { key, request: 'start' } });
    const first = write(room.loans, loanId, START, how('mine'));
    await asked.passed;
    const second = write(room.another(), loanId, START, how('theirs'));
    later.open();
    const [mine, theirs] = [hashOf(await first), hashOf(await second)];
    expect(theirs).toBe(mine);
    for (const key of ['mine', 'theirs']) {
      expect(await write(room.loans, loanId, START, how(key))).toEqual({
        kind: 'replayed',
        text: mine,
        loanId,
        version: 2,
      });
    }
    expect(await typesOf(loanId)).toEqual(['created', 'underwritingStarted']);
    expect(pulled).toHaveLength(1);
  });
});

describe('a decision under an idempotency key', () => {
  test.each([0, 2])(
    'on deal %i is answered as the first time, and another call under the key is refused',
    async (n) => {
      const loanId = await application();
      await write(room.loans, loanId, START);
      const how = (request: string) => ({ idempotency: { key: `D-${n}`, request } });
      const first = await write(room.loans, loanId, choose(n), how('choose'));
      expect(await write(room.loans, loanId, choose(n), how('choose'))).toEqual({
        kind: 'replayed',
        text: hashOf(first),
        ...{ loanId, version: 3 },
      });
      expect((await write(room.loans, loanId, choose(3), how('another'))).kind).toBe('key_reused');
    },
  );
});

describe('a pull', () => {
  test('that failed is made again under the same id', async () => {
    const loanId = await application();
    answers = async () => ({ failed: 'timeout', detail: 'No answer.', retryable: true });
    expect((await write(room.loans, loanId, START)).kind).toBe('bureau_failed');
    answers = null;
    expect((await write(room.loans, loanId, START)).kind).toBe('done');
    expect(pulled).toHaveLength(2);
    expect(new Set(pulled).size).toBe(1);
  });

  test('of a process that died is taken over after its timeout', async () => {
    const loanId = await application();
    const claim = (until: number) =>
      room.db.query(
        `INSERT INTO bureau_pulls (volume, loan_id, run, role, pull_id, bureau, reserved_at, held_until)
         VALUES ($4, $1, 1, 'primary', 'pull_of_the_dead', 'counting', $2, $3)`,
        [`\\x${loanId.slice(2)}`, new Date(room.clock.now - 90_000), new Date(until), volumeOf(room.db, loanId)],
      );
    await claim(room.clock.now - 30_000);
    expect((await write(room.loans, loanId, START)).kind).toBe('done');
    expect(pulled).toEqual(['pull_of_the_dead']);
  });

  test('that was answered twice, because its time was up, counts as it was answered first', async () => {
    const loanId = await application();
    const [asked, later] = [
      [gate(), gate()],
      [gate(), gate()],
    ];
    answers = async (report) => {
      const n = pulled.length - 1;
      asked[n]?.open();
      await later[n]?.passed;
      return report;
    };
    let second: Promise<Outcome> | null = null;
    const slow = interrupted(async () => {
      later[1]?.open();
      await second;
    });
    const first = write(slow, loanId, START);
    await asked[0]?.passed;
    room.clock.now += 61_000;
    ssn = SUBPRIME;
    second = write(room.loans, loanId, START);
    await asked[1]?.passed;
    later[0]?.open();
    expect(hashOf(await first)).toBe(hashOf(await second));
    expect(pulled).toHaveLength(2);
    const { deals } = (await viewOf(loanId)).file;
    // The run is done again from the stored report.
    await write(room.loans, loanId, choose(7));
    expect((await viewOf(loanId)).file.deals).toEqual(deals);
  });

  test('that failed after its time was up is left to the process that has taken it over', async () => {
    const loanId = await application();
    const [asked, later] = [
      [gate(), gate()],
      [gate(), gate()],
    ];
    answers = async (report) => {
      const n = pulled.length - 1;
      asked[n]?.open();
      await later[n]?.passed;
      return n === 0 ? { failed: 'timeout', detail: 'No answer.', retryable: true } : report;
    };
    const first = write(room.another(), loanId, START);
    await asked[0]?.passed;
    room.clock.now += 61_000;
    const second = write(room.another(), loanId, START);
    await asked[1]?.passed;
    later[0]?.open();
    expect((await first).kind).toBe('bureau_failed');
    const claimed = await room.db.query('SELECT held_until FROM bureau_pulls WHERE pull_id = $1', [pulled[0]]);
    expect(claimed).toEqual([{ held_until: new Date(room.clock.now + 60_000) }]);
    later[1]?.open();
    expect((await second).kind).toBe('done');
  });

  test('is made for no run that is done again', async () => {
    const loanId = await application();
    await write(room.loans, loanId, START);
    await room.db.query('DELETE FROM bureau_pulls');
    expect((await write(room.loans, loanId, choose(7))).kind).toBe('done');
    expect(pulled).toHaveLength(1);
  });

  test('and the run that is done again is of the moment of the first', async () => {
    const loanId = await application();
    const { now } = room.clock;
    answers = async (report) => {
      room.clock.now += 2_000;
      return report;
    };
    await write(room.loans, loanId, START);
    const read = async () => {
      const { record } = await fullOf(loanId);
      const shown = (name: string) => new RegExp(`"${name}":"([^"]*)"`).exec(Buffer.concat(record).toString())?.[1];
      return { run: (await viewOf(loanId)).file.assessedWith?.at, date: shown('Date'), decided: shown('DecisionDate') };
    };
    const first = await read();
    const written = (at = '') => at.slice(0, 19).replace('T', ' ');
    expect([first.date, first.decided]).toEqual([first.run?.slice(0, 10), written(first.run)]);
    room.clock.now += 86_400_000;
    await write(room.loans, loanId, choose(7));
    // The decision itself was made on the next day.
    expect(await read()).toEqual({ ...first, decided: written(new Date(room.clock.now).toISOString()) });
    room.clock.now = now;
  });

  test('is not made where the loan would refuse anyway', async () => {
    const loanId = await application();
    await write(room.loans, loanId, START);
    expect(await write(room.loans, loanId, REPULL, { ifVersion: 1 })).toMatchObject({ kind: 'version', version: 2 });
    await write(room.loans, loanId, choose(0));
    await write(room.loans, loanId, { do: 'fund-loan', date: null, opening: null });
    expect(await write(room.loans, loanId, REPULL)).toMatchObject({ kind: 'refused' });
    expect(pulled).toHaveLength(1);
  });
});

describe('a declined deal', () => {
  test('leaves the figures and the cash flows of the one asked for, also when that is approved after an undo', async () => {
    const loanId = await application();
    await write(room.loans, loanId, START);
    const before = await fullOf(loanId);
    const { file } = await viewOf(loanId);
    const decline: LoanCommand = { do: 'complete-underwriting', approved: false, dealIndex: 7, reason: 'Too long' };
    const declined = await write(room.loans, loanId, decline);
    expect(declined).toMatchObject({ kind: 'done', change: { status: 'Rejected' } });
    expect((await viewOf(loanId)).file).toEqual(file);
    const transactionHash = hashOf(declined);
    const undo: LoanCommand = { do: 'undo', transactionHash, reason: 'Wrong deal' };
    expect((await write(room.loans, loanId, undo)).kind).toBe('done');
    const undone = await fullOf(loanId);
    expect([undone.personal, Buffer.concat(undone.record).toString()]).toEqual([
      before.personal,
      Buffer.concat(before.record).toString(),
    ]);
    expect((await write(room.loans, loanId, choose(0))).kind).toBe('done');
    expect((await viewOf(loanId)).file).toEqual(file);
  });
});

describe('a decision while another process changes the loan', () => {
  test.each([0, 7])('approves deal %i of the new run, not of the one it saw', async (dealIndex) => {
    const loanId = await application();
    await write(room.loans, loanId, START);
    const before = (await viewOf(loanId)).file;
    const loans = interrupted(() => {
      ssn = SUBPRIME;
      return write(room.loans, loanId, REPULL);
    });
    expect((await write(loans, loanId, choose(dealIndex))).kind).toBe('done');
    const { file, events, loan } = await viewOf(loanId);
    expect(events.map(({ type }) => type)).toEqual([
      'created',
      'underwritingStarted',
      'underwritingStarted',
      'approved',
    ]);
    expect(file.grade).not.toBe(before.grade);
    const approved = events.at(-1) as Extract<LoanEvent, { type: 'approved' }>;
    // The first run approved it by itself, the second did not: an officer overrides the run that stands.
    expect(before.deals[dealIndex]?.decision).toBe('APPROVED');
    expect(approved.overridden).toBe(file.deals[dealIndex]?.decision === 'DECLINED');
    if (dealIndex > 0)
      expect(loan.contract).toMatchObject({ amount: file.deals[7]?.amount, count: file.deals[7]?.term });
  });

  test('takes the decision of the new run when the caller gives none', async () => {
    const loanId = await application();
    await write(room.loans, loanId, START);
    expect((await viewOf(loanId)).file.decision).toBe('APPROVED');
    const loans = interrupted(() => {
      ssn = '666-00-0005';
      return write(room.loans, loanId, REPULL);
    });
    const byEngine: LoanCommand = { do: 'complete-underwriting', approved: null, dealIndex: 0, reason: null };
    expect(await write(loans, loanId, byEngine)).toMatchObject({ kind: 'done', change: { status: 'Rejected' } });
  });

  test.each([
    ['fund-loan', { do: 'fund-loan', metadata: { AutoLoan: { currentDpd: '0' } } } as LoanCommand],
    ['initiate-repayment', { do: 'initiate-repayment', date: null, opening: 'onFile' } as LoanCommand],
  ])('%s is refused on a loan that was cancelled in the meantime', async (_, command) => {
    const loanId = await application();
    await write(room.loans, loanId, START);
    await write(room.loans, loanId, choose(0));
    const loans = interrupted(() => write(room.loans, loanId, { do: 'cancel', reason: null }));
    expect(await write(loans, loanId, command)).toMatchObject({
      kind: 'refused',
      refusal: { refused: 'wrong_status', facts: { loanStatus: 'Cancelled' } },
    });
    expect((await typesOf(loanId)).at(-1)).toBe('cancelled');
  });
});

test('a decision that needs an approval is of the moment and with the reason when it is carried out', async () => {
  const loanId = await application();
  await write(room.loans, loanId, START);
  const alice = { ...person('user_alice'), limits: { 'complete-underwriting': cents(0) } };
  const id = await requestOf(room.loans, alice, loanId, {
    ...{ do: 'complete-underwriting', approved: false, dealIndex: 0, reason: 'Job ended' },
  });
  const waiting = await fullOf(loanId);
  expect(Buffer.concat(waiting.record).toString()).toContain('"Decision":"APPROVED"');
  room.clock.now += 3_600_000;
  expect((await approve(room.loans, person('user_bob'), id)).kind).toBe('done');
  const { record, personal } = await fullOf(loanId);
  const at = new Date(room.clock.now).toISOString().slice(0, 19).replace('T', ' ');
  expect(Buffer.concat(record).toString()).toContain(
    `"Decision":"DECLINED","DecisionDate":"${at}","DeclineReason":"Job ended"`,
  );
  expect(personal.lendingDecisionReason).toBe('Declined by a loan officer against the assessment: Job ended');
});

test('the decision in a record of more than a megabyte is shown, with new contact data beside it', async () => {
  const loanId = await application({
    Response: { Decision: 'DECLINED', Comments: ['é'.repeat(1_200_000)] },
    Underwriting: { DealTermsInfo: [{}], UnderwritingInfo: [{ DecisionStatus: 'DECLINED' }] },
  });
  await write(room.loans, loanId, START);
  const reason = 'Known for years';
  const decide: LoanCommand = { do: 'complete-underwriting', approved: true, dealIndex: 0, reason };
  const answer = ({ transactionHash }: { transactionHash: string }) => transactionHash;
  expect((await room.loans.write(ACTOR, { loanId, command: decide, reason, answer }, PLAIN)).kind).toBe('done');
  const change: LoanCommand = {
    ...{ do: 'update-party', party: 'applicant', date: null, reason: 'called' },
    changes: { phone: '614-555-0123' },
  };
  expect((await write(room.loans, loanId, change)).kind).toBe('done');
  for (let read = 0; read < 2; read++) {
    const { record, personal } = await fullOf(loanId);
    const { Request, Response, Underwriting } = JSON.parse(`{${Buffer.concat(record).toString()}}`);
    expect(Request.ApplicantInfo.HomePhone).toBe('614-555-0123');
    expect([Response.Decision, Response.Comments[0].length]).toEqual(['APPROVED', 1_200_000]);
    expect(Underwriting.UnderwritingInfo[0].DecisionStatus).toBe('APPROVED');
    expect(personal.lendingDecisionReason).toBe(`Approved by a loan officer against the assessment: ${reason}`);
  }
});

test('a run that needs an approval pulls no report before it is approved', async () => {
  const loanId = await application();
  const alice = { ...person('user_alice'), limits: { 'start-underwriting': cents(0) } };
  const id = await requestOf(room.loans, alice, loanId, { do: 'start-underwriting' });
  expect([pulled, await typesOf(loanId)]).toEqual([[], ['created']]);
  expect((await approve(room.loans, person('user_bob'), id)).kind).toBe('done');
  expect(pulled).toHaveLength(1);
  expect(await typesOf(loanId)).toContain('underwritingStarted');
});
