/** The person a request is about is told by mail. Two administrators who ask and withdraw could mail anybody without an end. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Colleague, desk } from '../support/administrators.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { mailServer, type TestMailServer } from '../support/smtp.ts';

let app: TestApp;
let mail: TestMailServer;
let asks: Colleague;
let second: Colleague;
beforeAll(async () => {
  mail = await mailServer();
  app = await testApp({ SMTP_URL: mail.url, MAIL_FROM: 'loans@bank.example' });
  const room = await desk(app);
  [asks, second] = [await room.administrator(), await room.administrator()];
}, 60_000);
afterAll(async () => {
  await app.close();
  await mail.close();
});

const RECEIVED = /^RCPT TO:<(.*)>/;
const received = (email: string) => mail.said.filter((line) => RECEIVED.exec(line)?.[1] === email).length;

async function askedAndWithdrawn(path: string, body: object): Promise<void> {
  const asked = await asks.post(path, body);
  expect(asked.status, asked.text).toBe(202);
  const { approvalId } = asked.body.data;
  expect((await asks.post('reject', { approvalId, reason: 'Withdrawn' })).status).toBe(200);
}

test('a person is told of five requests at once, and the invitations that they may get are not used up', async () => {
  const email = 'bombed@harbor.example';
  const made = await asks.post('users', { email, name: 'Bombed', roles: ['agent'] });
  const { userId } = made.body.data;
  for (let i = 0; i < 8; i += 1) await askedAndWithdrawn('update-user', { userId, roles: ['administrator'] });
  expect(received(email)).toBe(1 + 5);
  expect((await asks.post('invite-user', { userId })).status).toBe(200);
  expect(received(email)).toBe(1 + 5 + 1);
});

test('of every kind together', async () => {
  const person = await app.access.people.byId(second.userId);
  for (let i = 0; i < 4; i += 1) {
    await askedAndWithdrawn('update-user', { userId: second.userId, roles: ['agent'] });
    await askedAndWithdrawn('disable-user', { userId: second.userId });
  }
  expect(received(person?.email ?? '')).toBe(5);
});
