/** The person that a request for approval is about is told by mail; asking, withdrawing and asking again mails nobody without an end. */
import { expect, test } from 'vitest';
import { desk } from '../support/administrators.ts';
import { testApp } from '../support/app.ts';
import { mailServer } from '../support/smtp.ts';

test('a person is told at most as often as they can be invited', async () => {
  const mails = await mailServer();
  const service = await testApp({ SMTP_URL: mails.url, MAIL_FROM: 'daybook@example.com' });
  try {
    const room = await desk(service);
    const [anna, ben] = [await room.administrator(), await room.administrator()];
    for (let i = 0; i < 12; i += 1) {
      const roles = i % 2 === 0 ? ['agent'] : ['auditor'];
      const asked = await anna.post('update-user', { userId: ben.userId, roles });
      expect(asked.status, asked.text).toBe(202);
      const { approvalId } = asked.body.data;
      expect((await anna.post('reject', { approvalId, reason: 'Withdrawn' })).status).toBe(200);
    }
    expect((await anna.post('disable-user', { userId: ben.userId })).status).toBe(202);
    expect(mails.said.filter((line) => line.startsWith('RCPT TO:'))).toHaveLength(5);
  } finally {
    await service.close();
    await mails.close();
  }
}, 60_000);
