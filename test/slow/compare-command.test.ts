/** `npm run compare` and `npm run fairness` as processes. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { refusalOf } from '../support/command.ts';
import { cli, endAll } from '../support/service.ts';

const PATIENT = { timeout: 240_000 };
const folder = mkdtempSync(join(tmpdir(), 'compare-'));
const at = (name: string) => join(folder, name);
const DAY = ['--date', '2026-01-15'];

afterAll(async () => {
  await endAll();
  rmSync(folder, { recursive: true });
}, PATIENT.timeout);

/** The policy in force with another limit of debt to income, as a file. */
async function tighterPolicy(): Promise<string> {
  const { stdout } = await cli(['compare', '--print', 'policy', ...DAY], {});
  const policy = JSON.parse(stdout) as { rules: { id: string }[] };
  const rules = policy.rules.map((rule) => (rule.id === 'maximum-dti' ? { ...rule, limit: 0.35 } : rule));
  writeFileSync(at('tighter.json'), JSON.stringify({ ...policy, version: 'tighter', rules }));
  return at('tighter.json');
}

test('wrong use: exit code 2 and what to do', PATIENT, async () => {
  writeFileSync(at('wrong.json'), '{ "version": 7, "rules": [] }');
  writeFileSync(at('empty.ndjson'), '\n\n');
  const { rules, ...others } = JSON.parse(readFileSync(await tighterPolicy(), 'utf8'));
  writeFileSync(at('long.json'), JSON.stringify({ ...others, rules, version: 'v'.repeat(50_000) }));
  writeFileSync(at('endless.json'), JSON.stringify({ ...others, rules, terms: [12, 24, 36, 48, 12e12] }));
  const wrong: [args: string[], says: RegExp][] = [
    [[], /^Specify one of --simulated, --applications and --print\.\n\nUsage/],
    [['--simulated', '3', '--print', 'model'], /^Specify one of/],
    [['--simulated', '0'], /^--simulated must be a whole number from 1 to 20,000\.\n/],
    [['--simulated', '3', '--offers', 'all'], /^--offers must be none, rate or any\.\n/],
    [['--simulated', '3', '--date', '2026-02-30'], /^--date must be a valid date/],
    [['--applications', 'x', '--seed', 'y'], /^--seed is for --simulated\.\n/],
    [['--applications', at('none')], /^File not found: .*none\.\n$/],
    [['--applications', at('empty.ndjson')], /^--applications: .*empty\.ndjson has no applications\.\n$/],
    [['--simulated', '3', '--challenger-policy', at('long.json')], /^--challenger-policy: .{3000,5000} …\n$/],
    [
      ['--simulated', '3', '--challenger-policy', at('endless.json')],
      /terms: must be whole years in months, up to 600/,
    ],
    [['--simulated', '3', '--csv', folder], /^--csv: .* cannot be written \(EISDIR\)\.\n$/],
    [['--print', 'nothing'], /^--print must be model, policy or one of .*\n$/],
    [['--simulated', '3', '--champion-model', 'nothing'], /^--champion-model: nothing is neither a built-in version/],
    [
      ['--simulated', '3', '--challenger-policy', at('wrong.json')],
      /^--challenger-policy: .*wrong\.json: The policy cannot be used\. .*version: must be text.*\n$/,
    ],
    [['--simulated', '3', '--csv', join(folder, 'no', 'such', 'file')], /--csv: .* cannot be written \(ENOENT\)\.\n$/],
  ];
  for (const [args, says] of wrong) expect(await refusalOf(['compare', ...args])).toMatch(says);
  const { code, stdout, output } = await cli(['compare', '--simulated', '0'], {});
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(output).toMatch(/^--simulated must be a whole number from 1 to 20,000\.\n/);
});

test('made-up applicants: the two books, the swap set as a table, as JSON and as CSV', PATIENT, async () => {
  const args = ['compare', '--simulated', '60', ...DAY, '--challenger-policy', await tighterPolicy()];
  const { code, stdout } = await cli([...args, '--csv', at('swaps.csv')], {});
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Champion: model [\w-]+, policy [\w-]+\. Challenger: model [\w-]+, policy tighter\.\n60 applications compared\.\n/,
  );
  expect(stdout).toMatch(/\nswap-out: by the champion alone +\d+ /);
  const { swaps, sets, compared, bad } = JSON.parse((await cli([...args, '--json'], {})).stdout);
  expect([compared, bad]).toEqual([60, []]);
  expect(swaps.length).toBe(sets.swapIn.applications + sets.swapOut.applications);
  expect(sets.swapOut.applications).toBeGreaterThan(3);
  const rows = readFileSync(at('swaps.csv'), 'utf8').trim().split('\r\n');
  expect(rows[0]).toMatch(/^application,swap,championDecision,championRules,/);
  expect(rows.slice(1).map((row) => row.split(',')[0])).toEqual(
    swaps.map(({ application }: { application: string }) => application),
  );
});

test('a file of applications: bad lines are named by number, and nothing personal is printed', PATIENT, async () => {
  const application = {
    loanAmount: '18,000.00',
    principalAmount: '17,000.00',
    interestRate: '18.49',
    term: 60,
    Request: {
      ApplicationInfo: { ApplicationID: 'APP-1' },
      ApplicantInfo: {
        ApplicantFirstName: 'Zebulon',
        ApplicantLastName: 'Quarterstaff',
        ApplicantSSN: '900-42-0042',
        ApplicantState: 'OH',
        MonthlyGross: 4321,
        HousingMonthlyPayment: 1200,
      },
      VehicleInfo: { VehicleWholesaleValue: '19,500', VehicleYear: '2024', VehicleMileage: '21,000' },
    },
    report: { score: 702 },
  };
  const { report: _, ...withoutReport } = application;
  const lines = [
    JSON.stringify(application),
    '',
    JSON.stringify({ ...application, Request: { ...application.Request, ApplicationInfo: {} } }),
    '{ "Zebulon": ',
    JSON.stringify({ ...application, term: 'Zebulon' }),
    JSON.stringify({ ...application, principalAmount: '19,234.56' }),
    JSON.stringify(withoutReport),
    JSON.stringify({ ...application, Request: { ...application.Request, VehicleInfo: {} } }),
  ];
  writeFileSync(at('applications.ndjson'), lines.join('\n'));
  const args = [
    'compare',
    '--applications',
    at('applications.ndjson'),
    ...DAY,
    '--challenger-policy',
    await tighterPolicy(),
  ];
  const { code, stdout, output } = await cli(args, {});
  expect(code).toBe(1);
  expect(stdout).toContain('2 applications compared, 1 could not be assessed.');
  const bad = output.split('\n').filter((line) => /^line \d+: /.test(line));
  expect(bad).toEqual([
    expect.stringMatching(/^line 4: .*not valid JSON/),
    expect.stringMatching(/^line 5: \/term: Must be a whole number/),
    'line 6: /principalAmount: contradicts another field',
    'line 7: /report: is missing; no credit bureau is contacted',
    expect.stringMatching(/^line 8: Request\.VehicleInfo\.VehicleWholesaleValue: /),
  ]);
  const json = await cli([...args, '--json'], {});
  const result = JSON.parse(json.stdout);
  expect(result.bad.map(({ line }: { line: number }) => line)).toEqual([4, 5, 6, 7, 8]);
  expect(result.swaps.map(({ application }: { application: string }) => application)).toEqual(['APP-1', 'line 3']);
  for (const personal of ['Zebulon', 'Quarterstaff', '900-42', '4321', '43.21', '19,234', '19234']) {
    expect(`${output}${json.output}`).not.toContain(personal);
  }
});

test('a place that cannot be written is refused before the work, and nothing is created', PATIENT, async () => {
  writeFileSync(at('file'), '');
  for (const args of [
    ['study', '--size', '100000', '--out', at('file/below')],
    ['fairness', '--size', '20000', '--out', at('file')],
    ['compare', '--simulated', '20000', '--offers', 'any', '--csv', at('no/such.csv')],
  ]) {
    expect(await refusalOf(args)).toMatch(/^--(out|csv): .* cannot be written \((ENOTDIR|ENOENT)\)\.\n$/);
  }
  expect(existsSync(at('no'))).toBe(false);
});

test('the fair lending report: wrong use', async () => {
  const early = ['fairness', '--size', '100', '--date', '1900-01-01'];
  expect(await refusalOf(early)).toMatch(/^--date must be a valid date from 1950-01-01/);
  expect(await refusalOf(['fairness', '--size', '5'])).toMatch(/^--size must be a whole number from 100/);
});

test('the fair lending report is the same in another process', PATIENT, async () => {
  const args = ['fairness', '--size', '100', '--out', at('report')];
  const { code, stdout } = await cli(args, {});
  expect(stdout).toMatch(/fair-lending\.md written to .*report\.\n$/);
  expect(code).toBe(0);
  expect((await cli([...args, '--check'], {})).code).toBe(0);
  writeFileSync(at('report/fair-lending.md'), 'changed by hand');
  const stale = await cli([...args, '--check'], {});
  expect(stale.output).toMatch(/fair-lending\.md would change: run `npm run fairness`/);
  expect(stale.code).toBe(1);
});

test(
  'applications from a pipe, which can be read only once; control characters of an id are not printed',
  PATIENT,
  async () => {
    const application = {
      ...{ loanAmount: '18,000.00', interestRate: '1.00', term: 60, report: { score: 702 } },
      Request: {
        ApplicationInfo: { ApplicationID: 'APP\u001b[31m\n7' },
        ApplicantInfo: { ApplicantState: 'OH', MonthlyGross: 4321, HousingMonthlyPayment: 1200 },
        VehicleInfo: { VehicleWholesaleValue: '19,500', VehicleYear: '2024', VehicleMileage: '21,000' },
      },
    };
    const { rules: _, ...others } = JSON.parse(readFileSync(await tighterPolicy(), 'utf8'));
    writeFileSync(at('none.json'), JSON.stringify({ ...others, rules: [] }));
    expect(spawnSync('mkfifo', [at('pipe')]).status).toBe(0);
    const args = ['compare', '--applications', at('pipe'), ...DAY, '--offers', 'none'];
    const [{ code, stdout }] = await Promise.all([
      cli([...args, '--challenger-policy', at('none.json')], {}),
      writeFile(at('pipe'), JSON.stringify(application)),
    ]);
    expect(stdout).toContain('\n1 application compared.\n');
    expect(stdout).toContain('\nAPP [31m 7  ');
    expect(code).toBe(0);
  },
);

// Fifteen thousand decisions: half a minute.
if (process.env.TEST_LONG !== undefined) {
  test('docs/model has the fair lending report of the model in force', { timeout: 900_000 }, async () => {
    const { code, output } = await cli(['fairness', '--check'], {});
    expect(output).not.toContain('would change');
    expect(code).toBe(0);
  });
}
