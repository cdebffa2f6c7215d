/**
 * `openapi.json` as a contract: it passes both usual linters, everything in it is named and described so that generated clients read well,
 * and its examples match their schemas (the linters check those).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { describe, expect } from 'vitest';
import { expectDescribed } from './support/described-answers.ts';
import { slowTest, usualTest as test } from './support/whole.ts';

const path = join(import.meta.dirname, '../openapi.json');
const source = readFileSync(path, 'utf8');

type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  maxLength?: number;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
  examples?: unknown[];
};
type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
type Operation = {
  operationId: string;
  description?: string;
  tags: string[];
  parameters?: { name: string; in: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
};
const document = JSON.parse(source) as {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string; description?: string }[];
  components: { schemas: Record<string, Schema> };
};
const { schemas } = document.components;
const operations = Object.entries(document.paths).flatMap(([at, item]) =>
  Object.entries(item).map(([method, operation]) => ({ at: `${method} ${at}`, ...operation })),
);

/** Every schema with its place in the document; `isNamed` for those under `components`. */
const all: { at: string; schema: Schema; isNamed: boolean }[] = [];
function gather(at: string, schema: Schema, isNamed = false): void {
  all.push({ at, schema, isNamed });
  for (const [name, member] of Object.entries(schema.properties ?? {})) gather(`${at}.${name}`, member);
  for (const [i, one] of (schema.anyOf ?? []).entries()) gather(`${at}/${i}`, one);
  if (schema.items) gather(`${at}[]`, schema.items);
  if (typeof schema.additionalProperties === 'object') gather(`${at}{}`, schema.additionalProperties);
}
for (const [name, schema] of Object.entries(schemas)) gather(name, schema, true);
for (const { operationId, parameters = [], requestBody, responses } of operations) {
  for (const { name, schema } of parameters) gather(`${operationId}?${name}`, schema);
  for (const holder of [requestBody, ...Object.values(responses)]) {
    for (const [type, { schema }] of Object.entries(holder?.content ?? {})) {
      if (schema) gather(`${operationId} ${type}`, schema);
    }
  }
}
const named = (schema: Schema): Schema => schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;

describe('linters', () => {
  // The linter of @redocly/cli: the same rules from the same package, without its preview server and bundler.
  test('redocly recommended', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        // Not among the recommended ones: examples in schemas, where the answers have theirs.
        'no-invalid-schema-examples': 'error',
      },
    });
    const found = await lintFromString({ source, absoluteRef: path, config });
    expect(found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`)).toEqual(
      [],
    );
  }, 30_000);

  slowTest(
    'spectral:oas',
    async () => {
      const spectral = new spectralCore.Spectral();
      // The contact depends on the operator: the document describes the software, not one installation.
      spectral.setRuleset({ extends: [spectralRulesets.oas], rules: { 'info-contact': 'off' } } as never);
      const found = await spectral.run(JSON.parse(source));
      expect(found.map(({ code, message, path: at }) => `${code}: ${message} ${at.join('/')}`)).toEqual([]);
    },
    60_000,
  );
});

describe('an answer that a test receives is held against it', () => {
  const headers = (more: object = {}) => new Headers({ 'content-type': 'application/json; charset=utf-8', ...more });
  const clock = {
    kind: 'live',
    timeZone: 'UTC',
    today: '2026-01-15',
    now: '2026-01-15T12:00:00.000Z',
    advancing: null,
  };
  const answer = (data: object = clock, more: object = {}, status = 200) => {
    const body = { message: 'ok', data };
    return { status, headers: headers(more), body, text: JSON.stringify(body) };
  };
  const PATH = '/v2/chain/clock';
  const problem = (code: string, more: object = {}) => {
    const body = { ...(schemas.Problem?.examples?.[0] as object), code, ...more };
    return {
      status: 401,
      headers: headers({ 'content-type': 'application/problem+json' }),
      body,
      text: JSON.stringify(body),
    };
  };

  test('and one that is as described is taken', () => {
    expect(() => expectDescribed('GET', PATH, answer())).not.toThrow();
    expect(() => expectDescribed('GET', PATH, problem('unauthorized'))).not.toThrow();
    expect(() => expectDescribed('GET', '/docs/', answer({}))).not.toThrow();
  });

  test.each([
    ['a status', answer(clock, {}, 201), 'The status 201 is not documented'],
    [
      'a member that is not listed',
      answer({ ...clock, weather: 'fair' }),
      'must NOT have additional properties: weather',
    ],
    ['a member of another type', answer({ ...clock, today: 3 }), '/data/today must be string'],
    ['a day that is none', answer({ ...clock, today: '2026-13-15' }), '/data/today must match format "date"'],
    ['a member that is missing', answer({ ...clock, kind: undefined }), "must have required property 'kind'"],
    ['a header', answer(clock, { etag: '"1"' }), 'The header ETag is not documented'],
    [
      'a type',
      { ...answer(), headers: headers({ 'content-type': 'text/csv' }) },
      'The type "text/csv" is not documented',
    ],
    ['a problem code', problem('on_hold'), 'The code on_hold is not documented for 401'],
    ['a member of a problem', problem('unauthorized', { secret: 'x' }), 'must NOT have additional properties: secret'],
  ])('%s that is not described fails', (_, received, wrong) => {
    // Read again from its text, as one that arrived.
    const body = JSON.parse(JSON.stringify(received.body));
    expect(() => expectDescribed('GET', PATH, { ...received, body, text: JSON.stringify(body) })).toThrow(wrong);
  });

  test('and success at an address that is no operation fails', () => {
    expect(() => expectDescribed('GET', '/v2/chain/nothing', answer({}))).toThrow('There is no such operation');
  });
});

describe('names', () => {
  test('an object with members has a name of its own', () => {
    const inline = all.filter(({ schema, isNamed }) => !isNamed && Object.keys(schema.properties ?? {}).length > 0);
    expect(inline.map(({ at }) => at)).toEqual([]);
  });

  test('names are words in capitals, operations are verbs', () => {
    expect(Object.keys(schemas).filter((name) => !/^([A-Z][a-z]*|OAuth)+$/.test(name) || /\d/.test(name))).toEqual([]);
    expect(
      operations.map(({ operationId }) => operationId).filter((id) => !/^[a-z]+([A-Z][a-z]*|OAuth)*$/.test(id)),
    ).toEqual([]);
  });

  test('what a client would name has these names', () => {
    const wanted =
      'Loan LoanPage LoanDetails LoanRecord LoanApplication RiskAssessment Underwriting DealTerms Schedule Installment Payment Payoff ' +
      'PayoffQuoteResult Fee Allocation Statement Journal JournalLine Transaction Clock Cycle Problem Token LoanStatus';
    expect(wanted.split(' ').filter((name) => !(name in schemas))).toEqual([]);
  });

  test('an alias of an operation has no entry of its own, and is described at its operation', () => {
    expect(document.paths).not.toHaveProperty(['/v2/chain/applications']);
    expect(document.paths['/v2/chain/loans']?.post?.description).toContain('Also available as `POST /applications`.');
    expect(operations.filter(({ operationId }) => /Alias/.test(operationId))).toEqual([]);
  });
});

describe('lists', () => {
  /** Answers with a list at their top that has no pages, and why. */
  const DOCUMENTS: Record<string, string> = {
    readSummary: 'one loan: what is in force and allowed',
    readSchedule: 'one schedule, whose installments and totals belong together',
    readPayoff: 'one quote: the amount of each day',
    readHistory: 'one statement, with running totals',
    explainFigure: 'one explanation, whose steps add up',
    readBlock: 'one block, whose transactions its root is over',
    readCycle: 'one cycle: its few steps, and by pages of loan ids what failed and what is proposed',
    readTrialBalance: 'one report: its accounts and their totals',
    readTieOut: 'one report: its accounts',
    readRollForward: 'one report: its lenders',
    readAllowance: 'one report: its slices, lenders and months belong together',
    readPortfolioSummary: 'one report',
    readPortfolioDelinquency: 'one report',
    readPortfolioRollRates: 'one report',
    readPortfolioVintages: 'one report',
    readPortfolioCashflows: 'one report',
    readPortfolioYield: 'one report',
    readPortfolioPrepayment: 'one report',
    listTransitions: 'one table of statuses and operations',
    listHoldEffects: 'one table of holds and areas',
    readMe: 'one caller, with its scopes',
    readSession: 'one session, with its roles and scopes',
    readIdentityProvider: 'one provider, with its domains',
    readWebhookEndpoint: 'one endpoint, with its types and its last ten replays',
    readOAuthMetadata: 'RFC 8414',
    readSigningKeys: 'RFC 7517',
  };
  /** Beside the items of a page. */
  const BESIDE: Record<string, string> = {
    'readTransfer.refusals': 'counts, one for each code',
    'listDisclosures.reasons': 'of transactions, on the first page alone',
    'listDeals.runs': 'of one loan, at most 51',
    'listPeriods.closedYears': 'years, one number each',
    'readAccountCodes.proposed': 'one for each account of the chart',
  };
  const isList = (schema: Schema): boolean =>
    [schema, ...(schema.anyOf ?? []).map(named)].some(({ type }) => [type].flat().includes('array'));
  const reads = operations
    .filter(({ at }) => at.startsWith('get '))
    .flatMap(({ operationId, parameters = [], responses }) => {
      const answer = named(responses['200']?.content?.['application/json']?.schema ?? {});
      const { properties = {} } = named(answer.properties?.data ?? answer);
      const lists = Object.entries(properties).flatMap(([name, member]) => (isList(named(member)) ? [name] : []));
      const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      return lists.length === 0 && !('items' in properties) ? [] : [{ operationId, query, properties, lists }];
    });

  test('are items and nextCursor, by limit and cursor', () => {
    const paged = reads.filter(({ operationId }) => !(operationId in DOCUMENTS));
    expect(paged.length).toBeGreaterThan(25);
    for (const { operationId, query, properties } of paged) {
      expect(Object.keys(properties), operationId).toEqual(expect.arrayContaining(['items', 'nextCursor']));
      // The feed is followed from the id of any event.
      expect(query, operationId).toEqual(
        expect.arrayContaining(['limit', operationId === 'listEvents' ? 'after' : 'cursor']),
      );
    }
    const beside = paged.flatMap(({ operationId, lists }) =>
      lists.filter((name) => name !== 'items').map((name) => `${operationId}.${name}`),
    );
    expect(beside.sort()).toEqual(Object.keys(BESIDE).sort());
  });

  test('of a document that is no list have no items, and are named here as long as there are any', () => {
    const without = reads.filter(({ properties }) => !('items' in properties));
    expect(without.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(DOCUMENTS).sort());
  });
});

describe('descriptions', () => {
  test('every member, parameter, named schema and tag has one', () => {
    const members = all.flatMap(({ at, schema }) =>
      Object.entries(schema.properties ?? {})
        .filter(([, member]) => !(member.description ?? named(member).description))
        .map(([name]) => `${at}.${name}`),
    );
    const parameters = operations.flatMap(({ operationId, parameters: given = [] }) =>
      given.filter(({ description }) => !description).map(({ name }) => `${operationId}?${name}`),
    );
    const shapes = Object.entries(schemas).flatMap(([name, { description }]) => (description ? [] : [name]));
    const tags = document.tags.filter(({ description }) => !description).map(({ name }) => name);
    expect([...members, ...parameters, ...shapes, ...tags]).toEqual([]);
  });

  /** Texts that the interface gives a form of its own. */
  const OWN_FORM = [
    'LoanDetails.createdAt',
    'CreateLoanRequest.createdAt',
    'LoanDetailsInput.createdAt',
    'PublicLoanDetails.createdAt',
    'RiskAssessment.DecisionDate',
  ];

  test('a date or a time says so', () => {
    const formats = (schema: Schema): (string | undefined)[] => [
      schema.format,
      schema.items?.format,
      ...(schema.anyOf ?? []).map(({ format }) => format),
    ];
    const members = all.flatMap(({ at, schema }) =>
      Object.entries(schema.properties ?? {}).map(([name, member]) => ({ at: `${at}.${name}`, name, member })),
    );
    const parameters = operations.flatMap(({ operationId, parameters: given = [] }) =>
      given.map(({ name, schema }) => ({ at: `${operationId}?${name}`, name, member: schema })),
    );
    const texts = [...members, ...parameters].filter(
      ({ at, member }) =>
        !OWN_FORM.includes(at) &&
        !at.startsWith('AccountCodeChanges.') &&
        !member.$ref &&
        !['boolean', 'integer'].includes(String(member.type)),
    );
    const dates = texts.filter(({ name }) =>
      /(^date|Date|Dates|On)$|^date[A-Z](?!fBirth)|^(asOf|on|today|goodThrough|(due|created)(From|To))$/.test(name),
    );
    const times = texts.filter(({ name, at }) => /[a-z]At$|^(at|now|knownAt)$/.test(name) && at !== 'ClockAdvance.at');
    expect(dates.length).toBeGreaterThan(50);
    expect(times.length).toBeGreaterThan(10);
    expect(dates.filter(({ member }) => !formats(member).includes('date')).map(({ at }) => at)).toEqual([]);
    expect(times.filter(({ member }) => !formats(member).includes('date-time')).map(({ at }) => at)).toEqual([]);
  });

  /** Free texts of answers, by the reason why no pattern could be true of them. `Name.*`: all texts of that schema. */
  const FREE = {
    'as a lender sent it, or as an assessment worded it':
      'ApplicantInfo.* ApplicationInfo.* CoApplicantInfo.* DealerInfo.* PartnerInfo.* RequestedTermsInfo.* VehicleInfo.* RiskAssessment.* ' +
      'LoanTerms.* Underwriting.* DealTerms.* DealUnderwriting.* PublicUnderwriting.* Deal.* DealForecast.* Loan.loanType LoanDetails.loanType ' +
      'LoanDetails.collateralType LoanDetails.interestRateType LoanDetails.indexRate LoanDetails.encumberedStatus VehicleDetails.* ' +
      'LoanDetails.lendingDecisionReason LoanDetails.applicantCreditVision LoanDetails.coApplicantCreditVision',
    'as the full record has it':
      'PublicLoanDetails.loanType PublicLoanDetails.collateralType PublicLoanDetails.interestRateType PublicLoanDetails.indexRate ' +
      'PublicLoanDetails.encumberedStatus PublicLoanDetails.lendingDecisionReason PublicLoanDetails.applicantCreditVision ' +
      'PublicLoanDetails.coApplicantCreditVision',
    'a closed list with spaces, and empty before funding, as the interface has it': 'ServicingMetadata.paymentStatus',
    'sentences for people':
      'Problem.title Problem.detail Problem.message Problem.error_description FieldError.detail ClosingWarning.detail ClosingWarning.who UnderwritingStartResult.missing ' +
      'Stipulation.text Sign.about ComparedValue.with TransferStopped.detail RefusedLoan.detail ReasonNotAllowed.detail HoldAreaEffect.basis HoldAreaMeaning.about HoldEffectMeaning.about ' +
      'AdverseActionNotice.notice NoticeMade.notice StatementRow.detail Explanation.* ExplanationStep.* Transition.to ClockAdvance.problem Role.description ' +
      'AprCalculation.explanation[] OfferCalculation.* CycleException.error CloseCheck.detail CloseCheck.who',
    'what a person or a program of the caller wrote, limited where it was sent':
      'HoldTexts.* Hold.reason TimelineDisbursement.name TimelineFact.reason TransactionReason.reason Disclosure.purpose StatementRow.trace Fee.name Session.name ' +
      'Session.email User.name User.email PersonName.name BookEntry.reason EntryRecorded.reason ' +
      'AllowanceOverlay.name AllowanceOverlay.reason AllowanceOverlayCounted.name AllowanceOverlayCounted.reason',
    'masked, with characters of every script': 'MaskedPerson.* MaskedVehicle.* MaskedIdentity.state',
    'a JSON pointer, or a URN with the id of the request': 'FieldError.pointer Problem.instance',
    'a file, or canonical JSON': 'Forecast.CashflowsCsv Transaction.body',
    'a name of the database of time zones': 'Clock.timeZone NextTimeZone.timeZone',
    'an id of any kind, or a name of the operating system': 'AuditEntry.subject AuditEntry.account',
  };

  /** Every text that can be in an answer, with its place. A text within a union or a list has the place of its member. */
  function textsOfAnswers(): { at: string; member: string; schema: Schema }[] {
    const found: { at: string; member: string; schema: Schema }[] = [];
    const seen = new Set<string>();
    const look = (at: string, schema: Schema): void => {
      if (schema.$ref !== undefined) {
        const name = schema.$ref.split('/').at(-1) ?? '';
        if (seen.has(name)) return;
        seen.add(name);
        look(name, named(schema));
        return;
      }
      const member = at.split('.').at(-1)?.replace('[]', '') ?? '';
      if ([schema.type].flat().includes('string')) found.push({ at, member, schema });
      for (const one of schema.anyOf ?? []) look(at, one);
      for (const [name, one] of Object.entries(schema.properties ?? {})) look(`${at}.${name}`, one);
      if (schema.items) look(`${at}[]`, schema.items);
      if (typeof schema.additionalProperties === 'object') look(`${at}{}`, schema.additionalProperties);
    };
    for (const { operationId, responses } of operations) {
      for (const response of Object.values(responses)) {
        const schema = response.content?.['application/json']?.schema;
        if (schema) look(operationId, schema);
      }
    }
    look('Problem', { $ref: '#/components/schemas/Problem' });
    return found;
  }

  test('a text in an answer has a pattern, a format, a list of values or a limit, or a reason why not', () => {
    const texts = textsOfAnswers();
    expect(texts.length).toBeGreaterThan(800);
    const bare = texts.filter(({ schema }) => {
      const { pattern, format, enum: values, const: only, maxLength } = schema;
      return [pattern, format, values, only, maxLength].every((one) => one === undefined);
    });
    const free = Object.values(FREE).flatMap((names) => names.split(' '));
    const isFree = (at: string) => free.includes(at) || free.includes(`${at.split(/[.[{]/)[0]}.*`);
    expect(bare.map(({ at }) => at).filter((at) => !isFree(at))).toEqual([]);
    const needed = new Set(bare.flatMap(({ at }) => [at, `${at.split(/[.[{]/)[0]}.*`]));
    expect(free.filter((name) => !needed.has(name))).toEqual([]);
  });

  /** Members that are rates, ratios or probabilities by their names. */
  const RATE =
    /(^|[a-z])(Rate|Rates|Apr|APR|Yield|IRR|Irr|LTV|Ltv|DTI|Dti|PTI|Pti|Probability|Prob|Percent)($|[A-Z])|^(rate|apr|yield|irr|ltv|dti|pti|percent|probability|hurdle|severity|smm|cpr|cdr|abs|markup|spread)($|[A-Z])|[a-z]Share$/;
  /** Counts and switches that have such a word in their names. */
  const NO_RATE = ['Client.rateLimitPerMinute', 'satisfiedPercent', '.rateChanges'];

  test('a rate, a ratio or a probability says whether it is a percentage or a fraction, and as text or as a number', () => {
    const members = all.flatMap(({ at, schema }) =>
      Object.entries(schema.properties ?? {}).map(([name, member]) => ({ at: `${at}.${name}`, name, member })),
    );
    const rates = members.filter(
      ({ at, name, member }) =>
        RATE.test(name) && !/Limit|Type$|Policy/.test(name) && !NO_RATE.some((one) => at.endsWith(one)) && !member.$ref,
    );
    expect(rates.length).toBeGreaterThan(60);
    const kinds = (schema: Schema) =>
      [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => [type].flat()).filter((type) => type !== 'null');
    const wrong = rates.filter(({ member }) => {
      const says = member.description ?? '';
      if (!/percent|fraction/i.test(says)) return true;
      const types = kinds(member);
      if (types.includes('string') && types.includes('number')) return false;
      return types.includes('string') ? !/\btext\b/.test(says) : !/\b(number|whole)\b/i.test(says);
    });
    expect(wrong.map(({ at, member }) => `${at}: ${member.description}`)).toEqual([]);
  });

  test('every pattern means the same with and without the flag u', () => {
    const patterns = all.flatMap(({ at, schema }) =>
      schema.pattern === undefined ? [] : [{ at, pattern: schema.pattern }],
    );
    expect(patterns.length).toBeGreaterThan(10);
    for (const { at, pattern } of patterns) {
      expect(() => new RegExp(pattern, 'u'), at).not.toThrow();
      expect(pattern, at).not.toMatch(/\\[pP]\{/);
    }
  });
});
