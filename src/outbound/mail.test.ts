/** Mail over a small SMTP server on this machine. */
import { afterEach, expect, test } from 'vitest';
import { mailServer, type TestMailServer } from '../../test/support/smtp.ts';
import { openMail } from './mail.ts';

let server: TestMailServer | undefined;
afterEach(() => server?.close());

async function smtp(refuses = false): Promise<TestMailServer> {
  server = await mailServer(refuses);
  return server;
}

const MESSAGE = {
  to: 'dana@harbor.example',
  subject: 'Your invitation',
  text: 'Open this link:\nhttps://loans.example/invitation#abc\n',
};

test('a message is handed to the mail server as plain text', async () => {
  const { url, said } = await smtp();
  const failures: string[] = [];
  const mail = openMail({ url, from: 'Loans <loans@bank.example>', onFailure: (code) => failures.push(code) });
  expect(await mail.send(MESSAGE)).toBe(true);
  expect(failures).toEqual([]);
  expect(said).toContain('MAIL FROM:<loans@bank.example>');
  expect(said).toContain('RCPT TO:<dana@harbor.example>');
  expect(said).toContain('Subject: Your invitation');
  expect(said).toContain('https://loans.example/invitation#abc');
  expect(said.join('\n')).toMatch(/Content-Type: text\/plain/);
});

test('a refused recipient and a server that is not there are false, with a code and nothing personal', async () => {
  const failures: string[] = [];
  const { url } = await smtp(true);
  const options = { from: 'loans@bank.example', onFailure: (code: string) => failures.push(code) };
  expect(await openMail({ url, ...options }).send(MESSAGE)).toBe(false);
  expect(await openMail({ url: 'smtp://127.0.0.1:1', ...options }).send(MESSAGE)).toBe(false);
  expect(failures).toHaveLength(2);
  expect(failures.join()).toMatch(/^[A-Z]+,[A-Z]+$/);
});

test('a server elsewhere must encrypt', async () => {
  const { url, said } = await smtp();
  const failures: string[] = [];
  // Another name of this machine, which counts as elsewhere.
  const elsewhere = url.replace('127.0.0.1', '127.1');
  const mail = openMail({ url: elsewhere, from: 'loans@bank.example', onFailure: (code) => failures.push(code) });
  expect(await mail.send(MESSAGE)).toBe(false);
  expect(said.some((line) => line.startsWith('EHLO'))).toBe(true);
  expect(said.join()).not.toContain('dana');
  expect(failures).toEqual(['ETLS']);
});
