/** The clock of an organization over HTTP, and a process whose own clock is wrong. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await testApp();
  token = await service.token();
});
afterAll(() => service.close());

const api = (path: string) => `/v2/chain${path}`;
const clock = async (as = token) => service.call('GET', api('/clock'), { token: as });
const set = (body: unknown, as = token) => service.call('POST', api('/clock'), { token: as, body });

describe('/clock', () => {
  it('shows any client of the organization its business day', async () => {
    const { status, body } = await clock(await service.token(['public:read']));
    expect(status).toBe(200);
    expect(body).toEqual({
      message: 'ok',
      data: { kind: 'live', timeZone: 'UTC', today: '2026-01-15', now: '2026-01-15T12:00:00.000Z', advancing: null },
    });
    expect((await service.call('GET', api('/clock'))).status).toBe(401);
  });

  it('sets the zone from the next day on; only an administrator may', async () => {
    const next = { timeZone: 'America/New_York', from: '2026-01-16T00:00:00.000Z' };
    const asked = await set({ timeZone: 'America/New_York' });
    expect(asked.body.data).toMatchObject({ timeZone: 'UTC', today: '2026-01-15', next });
    expect((await clock()).body.data).toMatchObject({ timeZone: 'UTC', next });
    expect((await set({ timeZone: 'UTC' })).body.data).not.toHaveProperty('next');
    expect((await set({ timeZone: 'Asia/Tokyo' }, await service.token(['loans:write']))).status).toBe(403);
  });

  it.each([
    [{ timeZone: 'Mars/Phobos' }, 'invalid_value'],
    [{ timeZone: 'UTC\0' }, 'invalid_value'],
    [{ timeZone: '' }, 'too_short'],
    [{ timeZone: 'x'.repeat(65) }, 'too_long'],
    [{ timeZone: 1 }, 'type'],
    [{}, 'required'],
    [{ timeZone: 'UTC', kind: 'test' }, 'unknown_member'],
  ])('refuses %j', async (body, code) => {
    const answer = await set(body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ code }]);
  });
});

describe('a process whose clock is wrong', () => {
  it('answers writes with 503 and when to try again, says why at /readyz, and still serves reads', async () => {
    const wait = { status: 503, code: 'unavailable', retryable: true };
    // The database's clock is right, and this one is in January.
    expect(await service.loans.door.checkClock()).toContain('behind');
    const body = { loanId: `0x${'00'.repeat(32)}`, amount: '100', refId: 'R-1' };
    const paid = await service.call('POST', api('/loan-repay'), { token, body });
    for (const answer of [paid, await set({ timeZone: 'Asia/Tokyo' }), await service.call('GET', '/readyz')]) {
      expect(answer.body).toMatchObject(wait);
      expect(answer.body.detail).toMatch(
        /^The clock of this process is \d+ s behind the database's\. Writes are refused/,
      );
      expect(answer.headers.get('retry-after')).toBe('10');
    }
    expect((await clock()).status).toBe(200);
    expect((await service.call('GET', api('/loans'), { token })).status).toBe(200);
    expect((await service.call('GET', '/healthz')).status).toBe(200);
  });
});
