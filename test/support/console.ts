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
import { testDatabase } from './database.ts';
import { fillBook } from './demo-book.ts';
import { filledOnce } from './filled-once.ts';
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

/** On 15 January 2026, noon in UTC; with positions of the last four month ends. It is filled once in a run, in some six seconds, and copied. */
export async function consoleBook(): Promise<ConsoleBook> {
  const { template, content } = await filledOnce('console', filledBook);
  const app = await testApp({}, () => testDatabase({ template }));
  return { ...aroundIt(app, content.people), loans: content.loans, approvalId: content.approvalId };
}

type Content = Pick<ConsoleBook, 'loans' | 'approvalId'> & {
  /** Those who have done something in it: the id of the user by the roles. */
  readonly people: Record<string, string>;
};

/** The same of any service: `known` are the people that its database has. */
function aroundIt(
  app: TestApp,
  known: Content['people'],
): Pick<ConsoleBook, 'app' | 'origin' | 'today' | 'person' | 'call' | 'close'> {
  const today = new Date(app.clock.now).toISOString().slice(0, 10);
  const origin = `http://localhost:${app.port}`;
  const people = new Map(Object.entries(known).map(([roles, userId]) => [roles, Promise.resolve({ userId })]));
  return {
    ...{ app, origin, today },
    async person(...roles) {
      const key = roles.join();
      const asked = people.get(key) ?? signedIn(app, roles);
      people.set(key, asked);
      return { ...(await sessionFor(app, (await asked).userId)), origin, now: app.clock.now };
    },
    async call(who, path, body, headers = {}) {
      const sent = { headers: { ...who.headers, ...headers }, ...(body && { body }) };
      const answer = await app.call(body === undefined ? 'GET' : 'POST', `/v2/chain/${path}`, sent);
      if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
      return answer;
    },
    close: () => app.close(),
  };
}

async function filledBook(app: TestApp): Promise<Content> {
  const { today, person, call } = aroundIt(app, {});
  const loans = await fillTheBook(app, date(today));
  const [manager, agent] = [await person('manager'), await person('agent')];
  const loanId = loans.pendingApproval;
  await call(manager, 'assess-fee', { loanId, feeId: 'title-1', name: 'Title copy', amount: '80.00' });
  const waiver = { loanId, feeId: 'title-1', reason: 'Charged twice' };
  const { body: asked } = await call(agent, 'waive-fee', waiver);
  const dispute = { loanId: loans.held, kind: 'dispute', holdId: 'H-1', reason: 'Says that a payment is missing' };
  await call(manager, 'place-hold', dispute);
  return { loans, approvalId: asked.data.approvalId, people: { manager: manager.userId, agent: agent.userId } };
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
      const some = { ...past, monthEnds: past.monthEnds.slice(-4) };
      await db.transaction((tx) => endFilling(tx, organizationId, some));
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
