/**
 * A new operation as somebody would add it, with its event, its drawer and its test: `dispute-fee` records that the borrower disputes a fee. The
 * edits are made in a copy of the project (`adding-an-operation.test.ts`), never in the project itself.
 */
export type Edit = {
  readonly file: string;
  /** Stands in the file once. */
  readonly find: string;
  /** Text put in its place. */
  readonly put: string;
  /** Whether types or tests notice that it is missing. */
  readonly noticed: boolean;
};

const after = (file: string, find: string, more: string, noticed = true): Edit => ({
  file,
  find,
  put: `${find}${more}`,
  noticed,
});

export const EDITS: readonly Edit[] = [
  {
    file: 'src/core/decide/fee.ts',
    find: "  | { do: 'waive-fee'; feeId: string; amount: Cents | null; reason: string };",
    put: `  | { do: 'waive-fee'; feeId: string; amount: Cents | null; reason: string }
  | { do: 'dispute-fee'; feeId: string; reason: string };`,
    noticed: true,
  },
  after(
    'src/core/decide/fee.ts',
    "      return [{ type: 'feeWaived', feeId, amount: amount ?? cents(open), date }];\n    },\n  },\n",
    `
  'dispute-fee': {
    from: FUNDED,
    to: 'unchanged',
    by: 'servicer',
    records: ['feeDisputed'],
    needsReason: 'Recording a dispute requires a reason.',
    decide({ history, loan, when }, { feeId }) {
      const one = feeOf(loan, history.folding, feeId);
      if (one === null) return refuse('unknown_reference', 'This loan has no fee with this id.', { member: 'feeId' });
      return [{ type: 'feeDisputed', feeId, date: when.today }];
    },
  },
`,
  ),
  {
    file: 'src/core/events/fee.ts',
    find: "  | { readonly type: 'feeWaived'; readonly feeId: string; readonly amount: Cents };",
    put: `  | { readonly type: 'feeWaived'; readonly feeId: string; readonly amount: Cents }
  | { readonly type: 'feeDisputed'; readonly feeId: string };`,
    noticed: true,
  },
  after(
    'src/core/events/fee.ts',
    "      row(date, 'waived', waived, { reference: feeId });\n    },\n  },\n",
    `
  feeDisputed: {
    phase: 'notes',
    feed: { type: 'fee.disputed', about: 'The borrower disputes a fee.' },
    line: { says: 'Fee disputed', more: '{reference}', tone: 'late' },
    undo: { by: 'servicer', restedOnBy: {} },
    inert: true,
    show: null,
  },
`,
  ),
  {
    file: 'src/http/loans/fee.ts',
    find: '/** In the order of the OpenAPI document. */\nexport const feeWrites = [assessFee, waiveFee] as const;',
    put: `const DisputeFeeRequest = request(
  { feeId: about(Reference, 'The reference of the fee.'), reason: Reason },
  { feeId: 'late-3', reason: 'Says it was paid in time' },
);

const disputeFee = loanWrite({
  does: 'dispute-fee',
  id: 'disputeFee',
  tag: 'Servicing',
  summary: 'Record that a fee is disputed',
  description: 'Records that the borrower disputes a fee. The fee stays as it is.',
  body: DisputeFeeRequest,
  command: (read, body) => ({ do: 'dispute-fee', feeId: read.reference(body, 'feeId', ''), reason: body.reason }),
  reason: ({ reason }) => reason,
});

/** In the order of the OpenAPI document. */
export const feeWrites = [assessFee, waiveFee, disputeFee] as const;`,
    noticed: true,
  },
  after(
    'web/src/parts/operation/forms.ts',
    "      waiveFee: 'Waive a fee',\n",
    "      disputeFee: 'Record a disputed fee',\n",
  ),
  after(
    'web/src/parts/operation/forms.ts',
    "    did: () => 'Fee waived.',\n  },\n",
    `
  disputeFee: {
    title: 'Record dispute',
    needs: ['fees'],
    fields: [
      {
        name: 'feeId',
        label: 'Fee',
        choices: ({ fees }) => fees.map(({ feeId, name }) => ({ value: feeId, label: name })),
      },
      reason,
    ],
    does: () => 'Record dispute',
    did: () => 'Dispute recorded.',
  },
`,
    // Without it the drawer is made from the schema.
    false,
  ),
  {
    file: 'test/support/operations.ts',
    find: "  'change-rate': {\n",
    put: `  'dispute-fee': {
    id: 'disputeFee',
    from: FUNDED,
    by: 'servicer',
    scopes: ['servicing:write'],
    body: { feeId: 'F-1', reason: 'Paid in time' },
    answers: { Closed: '404 unknown_reference', ClosedEarly: '404 unknown_reference' },
    command: { do: 'dispute-fee', feeId: 'F', reason: 'paid in time' },
    smallest: ({ fees }) => ({ do: 'dispute-fee', feeId: fees.at(-1)?.feeId ?? 'NONE', reason }),
  },
  'change-rate': {
`,
    noticed: true,
  },
  after('test/support/operations.ts', "  feeWaived: ['waive-fee'],\n", "  feeDisputed: ['dispute-fee'],\n"),
  after('test/support/operations.ts', "  ['smallBalanceWrittenOff'],\n", "  ['feeDisputed', 'no effect'],\n"),
  after(
    'src/core/decide/decide.test.ts',
    "describe('refusals in the published order', () => {\n",
    `  test('a disputed fee stays as it is', () => {
    const life = live().fund();
    life.take('2026-01-02', fee('10', 'F'));
    const before = life.loan('2026-01-03').fees;
    expect(life.take('2026-01-03', { do: 'dispute-fee', feeId: 'F', reason: 'paid' }).events).toMatchObject([
      { type: 'feeDisputed', feeId: 'F' },
    ]);
    expect(life.loan('2026-01-03').fees).toEqual(before);
    expect(refusal(life, '2026-01-03', { do: 'dispute-fee', feeId: 'G', reason: 'paid' })).toBe('unknown_reference');
  });

`,
    false,
  ),
  after(
    'CHANGELOG.md',
    '## [Unreleased]\n\n### Added\n\n',
    '- `POST /dispute-fee` records that the borrower disputes a fee.\n',
    false,
  ),
];

/** Commands that write the generated files, in this order. */
export const GENERATED: readonly (readonly string[])[] = [
  ['src/cli/main.ts', 'openapi'],
  ['sdk/generate.ts'],
  ['scripts/reference.ts'],
  ['scripts/postman.ts'],
];

/** The text with the edits of this file made. */
export function edited(file: string, text: string, edits: readonly Edit[] = EDITS): string {
  return edits
    .filter((edit) => edit.file === file)
    .reduce((made, { find, put }) => {
      if (made.split(find).length !== 2) throw new Error(`${file} does not have once: ${find}`);
      return made.replace(find, () => put);
    }, text);
}
