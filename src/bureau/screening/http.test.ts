/** Against real servers on this machine. Retries, the breaker and the limits of connections are those of the bureau (`../http.test.ts`). */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { date } from '../../core/calendar.ts';
import type { BureauSubject } from '../bureau.ts';
import { HTTP_SCREENING_DEFAULTS, openHttpScreening } from './http.ts';
import { SIMULATED_SCREENING } from './simulator.ts';

const PERSON: BureauSubject = {
  ...{ role: 'primary', firstName: 'Zebedee', lastName: 'Quillfeather', middleInitial: '', ssn: '666-00-0002' },
  ...{ dateOfBirth: '1971-06-05', address: '4711 Unmapped Way', city: 'Mock Springs', state: 'TX', zip: '00099' },
};
const ASKED = {
  ...{ pullId: 'pull-1', organizationId: 'org_test' },
  ...{ today: date('2026-01-15'), at: '2026-01-15T10:00:00.000-06:00' },
};

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

async function screenedBy(behave: (response: ServerResponse) => void, changed: object = {}) {
  const seen: { key: unknown; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ key: request.headers['idempotency-key'], body: Buffer.concat(chunks).toString() });
      behave(response);
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  const screening = openHttpScreening(
    { ...HTTP_SCREENING_DEFAULTS, url: `http://127.0.0.1:${port}/`, apiKey: 'key-9a7f31', attempts: 1, ...changed },
    { monotonic: () => performance.now(), sleep: async () => {}, random: () => 0.5 },
  );
  opened.push(screening, {
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
  return { answer: await screening.screen(PERSON, ASKED), seen };
}

const says = (body: string | object) => (response: ServerResponse) =>
  void response.writeHead(200).end(typeof body === 'string' ? body : JSON.stringify(body));

test('a match and a clear answer are read, and kept as they were given', async () => {
  const match = { result: 'match', list: 'OFAC SDN', entry: '12345', score: 97 };
  const { answer, seen } = await screenedBy(says(match));
  expect(answer).toEqual({ result: 'match', list: 'OFAC SDN', entry: '12345', raw: JSON.stringify(match) });
  expect(seen).toEqual([{ key: 'pull-1', body: expect.any(String) }]);
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ pullId: 'pull-1', subject: { ...PERSON, ssn: '666000002' } });
  expect((await screenedBy(says({ result: 'clear' }))).answer).toMatchObject({ result: 'clear', list: '', entry: '' });
});

test.each([
  ['a page of a proxy', '<html>Quillfeather</html>', 'not a JSON object'],
  ['a list', '[]', 'not a JSON object'],
  ['another result', { result: 'Quillfeather' }, 'result is neither clear nor match'],
  ['a match without a list', { result: 'match', entry: '1' }, 'list is not a text'],
  ['a match without an entry', { result: 'match', list: 'A' }, 'entry is not a text'],
  ['an entry with a semicolon', { result: 'match', list: 'A', entry: 'Quill; feather' }, 'entry is not a text'],
  ['both at once', { result: 'clear', list: 'A', entry: '1' }, 'list is given although nothing matches'],
])('%s is malformed, and not quoted', async (_, body, why) => {
  const { answer } = await screenedBy(says(body));
  expect(answer).toMatchObject({ failed: 'malformed', detail: expect.stringContaining(why), retryable: false });
  expect(JSON.stringify(answer)).not.toMatch(/quill/i);
});

test.each<[string, (response: ServerResponse) => void, object, object]>([
  ['nothing within the time', () => {}, { attemptMs: 100 }, { failed: 'timeout', retryable: true }],
  ['an answer that is too large', says('x'.repeat(70_000)), {}, { failed: 'malformed', retryable: false }],
  [
    'an error',
    (response) => void response.writeHead(500).end(),
    {},
    { failed: 'unavailable', detail: 'The screening service answered with status 500.' },
  ],
])('%s is a failure', async (_, behave, changed, failure) => {
  expect((await screenedBy(behave, changed)).answer).toMatchObject(failure);
});

test('the simulator matches by number, and by name with the date of birth', async () => {
  const simulated = (more: Partial<BureauSubject>) => SIMULATED_SCREENING.screen({ ...PERSON, ...more }, ASKED);
  const listed = { firstName: 'caspian', lastName: 'Merrowdale', dateOfBirth: '19620417' };
  expect(await simulated({})).toMatchObject({ result: 'clear' });
  expect(await simulated({ ssn: '666000020' })).toMatchObject({ result: 'match', entry: 'SIM-1000' });
  expect(await simulated(listed)).toMatchObject({ result: 'match', entry: 'SIM-1001' });
  expect(await simulated({ ...listed, dateOfBirth: '1962-04-18' })).toMatchObject({ result: 'clear' });
});
