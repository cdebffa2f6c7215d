/**
 * Shared by tests of the pages in a browser: the assembled service with a small book in which every state is found, people of every role
 * who are signed in, and pages that note everything a test may object to.
 *
 *     const book = await consoleBook();
 *     const page = await openPage(await launch(), await book.person('agent'), { phone: true });
 *     await page.goto(`${book.origin}/console/loans/${book.loans.late}`);
 *     expect(await axe(page)).toEqual([]);
 *     page.expectClean();
 */
import { addDays, date } from '../../src/core/calendar.ts';
import { endFilling } from '../../src/store/access/sandboxes.ts';
import { type Answered, type TestApp, testApp } from './app.ts';
import { type LoanKind, storiesOfTheBook } from './console-book.ts';
import { fillBook } from './demo-book.ts';
import { type SignedIn, sessionFor, signedIn } from './people.ts';
import type { Person } from './watched-page.ts';

export { axe, openPage, type Person, type WatchedPage } from './watched-page.ts';

export type Role = 'agent' | 'collector' | 'manager' | 'underwriter' | 'accountant' | 'auditor' | 'administrator';

export type ConsoleBook = {
  readonly app: TestApp;
  /** By the name of this machine, as people open it. */
  readonly origin: string;
  readonly today: string;
  /** Someone with these roles. The same roles again are the same person, in a new session. */
  person(...roles: Role[]): Promise<Person>;
  /** Ids of loans by state; `console-book.ts` says what each is. */
  readonly loans: Readonly<Record<LoanKind, string>>;
  /** An agent's request to waive a fee of 80.00 on `loans.pendingApproval`. */
  readonly approvalId: string;
  /** Calls an operation as a person: a POST with a body, otherwise a GET. Throws unless it is answered with 2xx. */
  call(who: SignedIn, path: string, body?: object, headers?: Record<string, string>): Promise<Answered>;
  close(): Promise<void>;
};

/** On 15 January 2026, noon in UTC; with positions of the last four month ends. It takes some six seconds. */
export async function consoleBook(env: Record<string, string> = {}): Promise<ConsoleBook> {
  const app = await testApp(env);
  const today = date(new Date(app.clock.now).toISOString().slice(0, 10));
  const origin = `http://localhost:${app.port}`;
  const people = new Map<string, Promise<SignedIn>>();
  const loans = await fillTheBook(app, today);

  const person: ConsoleBook['person'] = async (...roles) => {
    const key = roles.join();
    if (!people.has(key)) people.set(key, signedIn(app, roles));
    const { userId } = await (people.get(key) as Promise<SignedIn>);
    return { ...(await sessionFor(app, userId)), origin, now: app.clock.now };
  };
  const call: ConsoleBook['call'] = async (who, path, body, headers = {}) => {
    const sent = { headers: { ...who.headers, ...headers }, ...(body && { body }) };
    const answer = await app.call(body === undefined ? 'GET' : 'POST', `/v2/chain/${path}`, sent);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer;
  };

  const [manager, agent] = [await person('manager'), await person('agent')];
  const loanId = loans.pendingApproval;
  await call(manager, 'assess-fee', { loanId, feeId: 'title-1', name: 'Title copy', amount: '80.00' });
  const waiver = { loanId, feeId: 'title-1', reason: 'Charged twice' };
  const { body: asked } = await call(agent, 'waive-fee', waiver);
  const dispute = { loanId: loans.held, kind: 'dispute', holdId: 'H-1', reason: 'Says that a payment is missing' };
  await call(manager, 'place-hold', dispute);
  return {
    ...{ app, origin, today, person, loans, call },
    approvalId: asked.data.approvalId,
    close: () => app.close(),
  };
}

/** Through the operations, on the days of the past, as the demonstration is filled. */
async function fillTheBook(app: TestApp, today: ReturnType<typeof date>): Promise<Record<LoanKind, string>> {
  const { db, organizationId } = app;
  const stories = storiesOfTheBook(today);
  await fillBook(app, today, {
    stories: () => stories,
    async filled(_, past) {
      // Its nights begin today, as those of the demonstration do.
      const heads = 'INSERT INTO cycle_heads (organization_id, first, through) VALUES ($1, $2, $3)';
      await db.query(heads, [organizationId, today, addDays(today, -1)]);
      await endFilling(db, organizationId, { ...past, monthEnds: past.monthEnds.slice(-4) });
    },
  });
  await app.loans.reports.positionDates.goOn(() => false);
  const { body } = await app.call('GET', '/v2/chain/loans?limit=100', { token: await app.token() });
  const ids = new Map(
    (body.data.items as { applicationId: string; loanId: string }[]).map((one) => [one.applicationId, one.loanId]),
  );
  // Applications are numbered in the order of the stories.
  const idOf = (i: number) => ids.get(`DEMO-${String(i + 1).padStart(3, '0')}`) as string;
  return Object.fromEntries(stories.map(({ kind }, i) => [kind, idOf(i)])) as Record<LoanKind, string>;
}
