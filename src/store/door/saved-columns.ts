/** The saves of a batch of the write path, and the columns of its rows, each with where its value comes from. */
import type { DatedLine } from '../../ledger/journal.ts';
import type { Characteristics } from '../../portfolio/characteristics.ts';
import {
  type ColumnValues,
  columnIn,
  LOAN_COLUMN_NAMES,
  LOAN_COLUMNS,
  type LoanColumnName,
  OFTEN_CHANGED,
} from '../../portfolio/loan-columns.ts';
import type { ApprovalSave } from '../approvals/approvals.ts';
import { type Column, type Columns, without } from '../db/columns.ts';
import type { PartyChangeRow } from '../people/parties.ts';
import { ACT, type ActRow, type SavedAct } from './save-acts.ts';
import type { FormerLines, TransferSave } from './save-transfers.ts';

export type NewLoanRow = {
  organizationId: string;
  applicationId: string;
  borrowerId: string;
  lenderId: string;
  primaryServicerId: string;
  secondaryServicerId: string;
  loanType: string;
  file: string;
  /** It came as an application that nobody had decided. */
  applied: boolean;
  publicPart: Uint8Array;
  keyId: string;
  wrappedKey: Uint8Array;
  sealed: Uint8Array;
  blindIndex: readonly { kind: string; digest: Uint8Array }[];
  characteristics: Characteristics;
};

export type SavedEvent = {
  sequence: number;
  hash: string;
  type: string;
  /** Set for a payment. */
  refId: string | null;
  body: string;
  note: Uint8Array | null;
  /** The organization that the loan is offered or transferred to by it; null: none. */
  nextOrganizationId: string | null;
  lines: readonly DatedLine[];
};

/** Everything that one command saves. */
export type Save = {
  loanId: string;
  /** The organization that owns the loan. */
  organizationId: string;
  /** The hash of the loan's last event when it was read; null: the loan is new. */
  expected: string | null;
  version: number;
  /** The moments at which the loan was created and the last of its events was recorded, by its owner's clock. */
  createdAt: Date;
  recordedAt: Date;
  /** Its columns that follow from the events. */
  columns: ColumnValues;
  /** Those that seldom change (`seldomText`), and as the row has them now; null: not known. */
  seldom: string;
  before: string | null;
  created: NewLoanRow | null;
  clientId: string;
  /** The person who acted through the client; null: none. */
  userId: string | null;
  events: readonly SavedEvent[];
  /** For the audit trail; null: the end of a day, for which the cycle has one entry for all loans of an organization. */
  act: SavedAct | null;
  idempotency: { keyHash: string; requestHash: string; forever: boolean; answer: string } | null;
  /** The record parts of an underwriting run, which replace those the loan was created with from the run's first event on. */
  assessed: AssessedParts | null;
  /** New contact data of a party. */
  partyChange: PartyChangeRow | null;
  /** The digests of the custom data that the loan has from then on; null: it does not change. */
  customIndex: readonly Uint8Array[] | null;
  transfer?: TransferSave;
  /** Lines of these events in the books of former owners of the loan. */
  ofFormer?: readonly FormerLines[];
  /** Whether its application id is free from then on; absent: as before. */
  idIsFree?: boolean;
  /** The approval by which it is carried out: it is saved only if that is still pending, and decides it. */
  approval?: ApprovalSave;
};

export type AssessedParts = {
  file: string;
  publicPart: Uint8Array;
  sealed: Uint8Array;
  modelVersion: string;
  policyVersion: string;
  characteristics: Characteristics;
};

/** The end of the loan's chain. */
const HEAD = {
  version: { type: 'int', of: ({ version }) => version },
  last_hash: { type: 'bytea', of: ({ events }) => (events.at(-1) as SavedEvent).hash },
  updated_at: { type: 'timestamptz', of: ({ recordedAt }) => recordedAt },
} as const satisfies Columns<Save>;

const followed = (names: readonly LoanColumnName[]): Columns<Save> =>
  Object.fromEntries(
    names.map((name) => [name, { type: LOAN_COLUMNS[name].type, of: ({ columns }: Save) => columnIn(columns, name) }]),
  );

/** The columns of `loans` that a write sets: all that follow from the events, or those that often change. */
export const WHOLE = { ...HEAD, ...followed(LOAN_COLUMN_NAMES) };
export const USUAL = { ...HEAD, ...followed(OFTEN_CHANGED) };

/** A row that is changed where its last event is the expected one. */
export const changing = (set: Columns<Save>): Columns<Save> => ({
  loan_id: { type: 'bytea', of: ({ loanId }) => loanId },
  expected: { type: 'bytea', of: ({ expected }) => expected ?? '0x' },
  ...set,
});

type Created = Save & { readonly created: NewLoanRow };
export const isCreated = (save: Save): save is Created => save.created !== null;

export const NEW_LOAN: Columns<Created> = {
  loan_id: { type: 'bytea', of: ({ loanId }) => loanId },
  organization_id: { type: 'text', of: ({ created }) => created.organizationId },
  lender_id: { type: 'text', of: ({ created }) => created.lenderId },
  primary_servicer_id: { type: 'text', of: ({ created }) => created.primaryServicerId || null },
  secondary_servicer_id: { type: 'text', of: ({ created }) => created.secondaryServicerId || null },
  created_at: { type: 'timestamptz', of: ({ createdAt }) => createdAt },
  first_recorded_on: { type: 'date', of: ({ columns }) => columnIn(columns, 'recorded_on') },
  grade: { type: 'text', of: ({ created }) => created.characteristics.grade },
  state: { type: 'text', of: ({ created }) => created.characteristics.state },
  predicted_yield: { type: 'numeric', of: ({ created }) => created.characteristics.predictedYield },
  predicted_loss: { type: 'numeric', of: ({ created }) => created.characteristics.predictedLoss },
  ...WHOLE,
};

export type EventRow = { readonly save: Save; readonly event: SavedEvent; readonly position: number };

export const EVENT = {
  loan_id: { type: 'bytea', of: ({ save }) => save.loanId },
  sequence: { type: 'int', of: ({ event }) => event.sequence },
  hash: { type: 'bytea', of: ({ event }) => event.hash },
  /** Its place in the batch, from 1: transactions of a block are in this order. */
  position: { type: 'int', of: ({ position }) => position },
  type: { type: 'text', of: ({ event }) => event.type },
  body: { type: 'text', of: ({ event }) => event.body },
  client_id: { type: 'text', of: ({ save }) => save.clientId },
  user_id: { type: 'text', of: ({ save }) => save.userId },
  note: { type: 'bytea', of: ({ event }) => event.note },
  next_organization_id: { type: 'text', of: ({ event }) => event.nextOrganizationId },
} as const satisfies Columns<EventRow>;

export type LineRow = {
  readonly loanId: string;
  readonly sequence: number;
  /** That of its event. */
  readonly position: number;
  readonly line: number;
  readonly posted: DatedLine;
};

export const LINE = {
  loan_id: { type: 'bytea', of: ({ loanId }) => loanId },
  sequence: { type: 'int', of: ({ sequence }) => sequence },
  line: { type: 'smallint', of: ({ line }) => line },
  entry: { type: 'text', of: ({ posted }) => posted.entry },
  account: { type: 'text', of: ({ posted }) => posted.account },
  amount: { type: 'bigint', of: ({ posted }) => posted.amount },
  date_effective: { type: 'date', of: ({ posted }) => posted.dateEffective },
  date_posted: { type: 'date', of: ({ posted }) => posted.datePosted },
} as const satisfies Columns<LineRow>;

/** `position`: that of the last event that it answers. */
type AnswerRow = {
  readonly loanId: string;
  readonly position: number;
  /** The version of the loan after the write. */
  readonly version: number;
  readonly kept: NonNullable<Save['idempotency']>;
};

export const ANSWER = {
  loan_id: { type: 'bytea', of: ({ loanId }) => loanId },
  key_hash: { type: 'bytea', of: ({ kept }) => kept.keyHash },
  request_hash: { type: 'bytea', of: ({ kept }) => kept.requestHash },
  forever: { type: 'boolean', of: ({ kept }) => kept.forever },
  version: { type: 'int', of: ({ version }) => version },
  answer: { type: 'text', of: ({ kept }) => kept.answer },
} as const satisfies Columns<AnswerRow>;

/** A loan whose write is one event, with that and the entry of the audit trail, if it has one. */
export type OneRow = EventRow & { readonly acted: ActRow | null };

/** Its version is the number of the event. */
export const ONE_EVENT = {
  version: { type: 'int', of: ({ save }) => save.version },
  hash: { type: 'bytea', of: ({ event }) => event.hash },
  ...without(EVENT, 'loan_id', 'sequence', 'hash'),
} as const satisfies Columns<OneRow>;

const ofAct = ({ type, of }: Column<ActRow>): Column<OneRow> => ({
  type,
  of: ({ acted }) => (acted === null ? null : of(acted)),
});
export const ONE_ACT = {
  entry_id: ofAct(ACT.entry_id),
  acted_by: ofAct(ACT.organization_id),
  owner_id: ofAct(ACT.owner_id),
  key_id: ofAct(ACT.key_id),
  operation: ofAct(ACT.operation),
  approval_id: ofAct(ACT.approval_id),
  request_id: ofAct(ACT.request_id),
} as const satisfies Columns<OneRow>;

/** A usual change, beside the end of the chain. */
export const ONE_CHANGE = Object.fromEntries(
  Object.entries<Column<Save>>(without(USUAL, 'version', 'last_hash')).map(([name, { type, of }]) => [
    name,
    { type, of: ({ save }: OneRow) => of(save) },
  ]),
);

export const ONE: Columns<OneRow> = {
  loan_id: { type: 'bytea', of: ({ save }) => save.loanId },
  expected: { type: 'bytea', of: ({ save }) => save.expected ?? '0x' },
  ...ONE_EVENT,
  ...ONE_CHANGE,
  ...ONE_ACT,
};

/** Beside such rows, lines and answers name the place of theirs. */
const position = { type: 'int', of: (row: { readonly position: number }) => row.position } as const;
export const ONE_LINE = { position, ...without(LINE, 'loan_id', 'sequence') } as const satisfies Columns<LineRow>;
export const ONE_ANSWER = { position, ...without(ANSWER, 'loan_id', 'version') } as const satisfies Columns<AnswerRow>;

/** The rows of a batch beside those of its loans. */
export function rowsOfSaves(saves: readonly Save[]): { events: EventRow[]; lines: LineRow[]; answers: AnswerRow[] } {
  const events: EventRow[] = [];
  const lines: LineRow[] = [];
  const answers: AnswerRow[] = [];
  for (const save of saves) {
    const { loanId, version, idempotency } = save;
    for (const event of save.events) {
      events.push({ save, event, position: events.length + 1 });
      event.lines.forEach((posted, i) => {
        lines.push({ loanId, sequence: event.sequence, position: events.length, line: i + 1, posted });
      });
    }
    if (idempotency !== null) answers.push({ loanId, position: events.length, version, kept: idempotency });
  }
  return { events, lines, answers };
}
