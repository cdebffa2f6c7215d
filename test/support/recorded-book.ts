/** A service in which every recorded table has rows, made the way the service makes them, and loans with transfers, reasons and a feed. */
import type { Scope } from '../../src/access/scopes.ts';
import { date } from '../../src/core/calendar.ts';
import { addPasskey, linkSubject, setPassword, setProvider } from '../../src/store/access/sign-in.ts';
import { saveNote } from '../../src/store/feed/feed.ts';
import type { TestApp } from './app.ts';
import { approving } from './approvals.ts';
import { signedIn } from './people.ts';
import { creation } from './statuses.ts';

const BOOKS: Scope[] = ['loans:read', 'reports:read', 'books:write'];

export type RecordedBook = { service: TestApp; loanId: string };

export async function recordedBook(): Promise<RecordedBook> {
  const all = await approving();
  const { service, done } = all;
  const { db, organizationId } = service;
  const first = async (path: string, body: object, status = 200) => {
    const options = { token: await service.token(), key: service.credentials.apiKey, body };
    return done(service.call('POST', `/v2/chain/${path}`, options), status);
  };
  // An application of the year before, so that a year can be closed.
  all.on('2025-12-20');
  await first('loans', creation({}));
  all.on('2026-01-15');
  await all.policy({
    approvals: { 'waive-fee': { above: '50.00' }, 'charge-off': true, 'put-role': true },
    graceDays: 5,
  });
  const [alice, bob] = [await all.person('alice'), await all.person('bob')];
  const loanId = await all.loan();
  const waiver = { loanId, feeId: 'F-1', amount: '70', reason: 'A promise of the branch' };
  const asked = async (path: string, body: object) => (await done(alice.post(path, body), 202)).data.approvalId;
  await done(bob.post('reject', { approvalId: await asked('waive-fee', waiver), reason: 'Not yet' }));
  await done(bob.post('approve', { approvalId: await asked('waive-fee', waiver), reason: 'Agreed' }));
  await asked('charge-off', { loanId, reason: 'Gone' });
  await first('roles', { name: 'reader', scopes: ['loans:read'], limits: {} }, 202);
  await transfers(first, loanId);
  await rights(all.service, first);
  await service.loans.feed.look();
  all.on('2026-02-03');
  await service.loans.cycle.runCyclesThrough(organizationId, date('2026-01-31'));
  const lines = [
    { account: 'cash', debit: '5' },
    { account: 'feeIncome', credit: '5' },
  ];
  await first('ledger/entries', { date: '2025-12-31', lenderId: 'LND-1', lines, reason: 'A fee of the branch' });
  const controllers = [await all.person('carol', {}, BOOKS), await all.person('dave', {}, BOOKS)] as const;
  const proposed = (await done(controllers[0].post('allowance', { period: '2026-01' }), 202)).data;
  await done(controllers[1].post('approve', { approvalId: proposed.approvalId, reason: 'Seen' }));
  await first('ledger/close', { through: '2026-01' });
  await first('ledger/close-year', { year: 2025 });
  await first('ledger/account-codes', { codes: { cash: '1000' } });
  const at = new Date(service.clock.now);
  await db.transaction((tx) => saveNote(tx, { organizationId, type: 'test', subject: 'of no loan', at }));
  await service.loans.feed.look();
  while ((await service.loans.ledger.seal()) > 0);
  // A tick that is not recorded yet.
  await first('loan-repay', { loanId, amount: '10', refId: 'P-9' });
  await service.loans.feed.look();
  await first('clock', { timeZone: 'America/Chicago' });
  const ended = (await first('sandboxes', { name: 'two' })).data;
  await first('end-sandbox', { organizationId: ended.organizationId });
  return { service, loanId };
}

async function transfers(first: (path: string, body: object) => Promise<unknown>, loanId: string): Promise<void> {
  await first('transfer', { loanId, what: 'servicer', to: 'SRV-2', date: '2026-01-15', reason: 'x' });
  await first('transfer', { loanId, what: 'servicer', to: 'SRV-3', date: '2026-03-01', reason: 'x' });
  await first('cancel-transfer', { loanId, reason: 'x' });
  await first('transfer', { loanId, what: 'servicer', to: 'SRV-4', date: '2026-03-02', reason: 'x' });
}

/** Clients, keys, grants, people and their ways to sign in. */
async function rights(service: TestApp, first: (path: string, body: object) => Promise<unknown>): Promise<void> {
  const { access, db, organizationId } = service;
  const other = await access.createOrganization('Other');
  const grant = await access.createGrant(organizationId, {
    granteeOrganizationId: other.organizationId,
    access: 'read',
  });
  await access.revokeGrant(organizationId, grant?.grantId ?? '');
  await access.createGrant(organizationId, { granteeOrganizationId: other.organizationId, access: 'servicing' });
  const client = await access.createClient(organizationId, { name: 'desk', scopes: ['loans:read'] });
  await access.rotateClient(organizationId, client.clientId, { what: 'both' });
  await access.updateClient(organizationId, client.clientId, { scopes: ['loans:read', 'reports:read'] });
  await access.putRole(organizationId, { name: 'gone', scopes: ['loans:read'], limits: {} });
  await access.removeRole(organizationId, 'gone');
  await first('sandboxes', { name: 'one' });
  const { userId } = await signedIn(service, ['agent']);
  const at = new Date(service.clock.now);
  await db.transaction(async (tx) => {
    const bytes = (byte: number, length = 32) => Buffer.alloc(length, byte);
    await setProvider(tx, {
      ...{ organization_id: organizationId, issuer: 'https://id.example', client_id: 'daybook' },
      ...{ client_secret_sealed: bytes(1), settings: '{}', changed_at: at },
    });
    await linkSubject(tx, { organizationId, digest: bytes(2), userId, at });
    await setPassword(tx, { userId, hash: '$argon2id$test', codeSecret: bytes(3), lastStep: 1, at });
    await addPasskey(tx, {
      ...{ credential_id: bytes(4, 16), user_id: userId, public_key: bytes(5), counter: 1n },
      ...{ transports: ['usb'], name: 'key', created_at: at },
    });
  });
}
