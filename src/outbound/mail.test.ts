/** Mail over a small SMTP server on this machine. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openMail } from './mail.ts';

let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
});

/** Accepts every message, or refuses recipients. */
async function smtp(refuses = false): Promise<{ url: string; said: string[] }> {
  const said: string[] = [];
  server = createServer((socket) => {
    sockets.add(socket);
    let inData = false;
    let rest = '';
    socket.write('220 test ESMTP\r\n');
    socket.on('data', (chunk) => {
      rest += chunk.toString();
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        said.push(line);
        if (inData && line === '.') inData = false;
        else if (inData) continue;
        if (line === 'DATA') {
          inData = true;
          socket.write('354 go on\r\n');
        } else if (line.startsWith('RCPT') && refuses) socket.write('550 5.1.1 dana@harbor.example unknown\r\n');
        else if (line === 'STARTTLS') socket.write('454 no TLS here\r\n');
        else if (line.startsWith('QUIT')) socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      }
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, said };
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
  server?.close();
  for (const socket of sockets) socket.destroy();
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
