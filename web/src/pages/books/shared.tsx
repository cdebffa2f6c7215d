/** Controls shared by the parts of the books: day, lender and month, and a badge that shows whether accounts tie. */
import { useQuery } from '@tanstack/react-query';
import { report } from '../../api.ts';
import { day, month, shortHash } from '../../format.ts';
import { Badge, type Column, Field } from '../../parts/basics.tsx';
import '../../parts/controls.css';
import { useToday } from '../../shell/today.tsx';
import { monthEndsBefore, monthsBefore } from '../reports/view.ts';
import { aboutAccount, accountName } from './sums.ts';

export type Change = (change: Readonly<Record<string, string | null>>) => void;
export const textIn = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;
export const dayIn = (value: unknown): string | null =>
  /^\d{4}-\d\d-\d\d$/.test(textIn(value) ?? '') ? textIn(value) : null;
export const monthIn = (value: unknown): string | null =>
  /^\d{4}-\d\d$/.test(textIn(value) ?? '') ? textIn(value) : null;

export function AsOfField({ value, onChange }: { value: string | null; onChange: (day: string | null) => void }) {
  const today = useToday();
  const [lastEnd = '', endBefore = ''] = monthEndsBefore(today, 2);
  return (
    <>
      <Field label="As of the end of">
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="date"
            max={today}
            value={value ?? today}
            onChange={({ target: { value: given } }) =>
              given !== '' && given <= today && onChange(given === today ? null : given)
            }
          />
        )}
      </Field>
      <div className="line quick">
        {[lastEnd, endBefore].map((end) => (
          <button key={end} type="button" className="link small" onClick={() => onChange(end)}>
            {day(end)}
          </button>
        ))}
        {value !== null && (
          <button type="button" className="link small" onClick={() => onChange(null)}>
            Today
          </button>
        )}
      </div>
    </>
  );
}

/** The lenders that have books this month. */
export function LenderField({ value, onChange }: { value: string | null; onChange: (lender: string | null) => void }) {
  const period = useToday().slice(0, 7);
  const { data } = useQuery(report('readRollForward', { query: { period } }, { today: false }));
  const lenders = data?.data.lenders.map(({ lenderId }) => lenderId) ?? [];
  const all = value === null || lenders.includes(value) ? lenders : [value, ...lenders];
  return (
    <Field label="Lender">
      {(ids) => (
        <select
          {...ids}
          className="input"
          value={value === null ? '*' : `=${value}`}
          onChange={({ target: { value: given } }) => onChange(given === '*' ? null : given.slice(1))}
        >
          <option value="*">All lenders</option>
          {all.map((lender) => (
            <option key={lender} value={`=${lender}`}>
              {lender}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** `present`: the current month too. */
export function MonthField(props: { value: string; onChange: (period: string) => void; present?: boolean }) {
  const today = useToday();
  const months = [...(props.present ? [today.slice(0, 7)] : []), ...monthsBefore(today, 60)];
  const { value } = props;
  return <MonthChoice {...props} label="Month" months={months.includes(value) ? months : [value, ...months]} />;
}

/** `note`: what stands behind the month at a place; `named`: the text of a choice that is no month. */
export function MonthChoice(props: {
  label: string;
  months: readonly string[];
  value: string;
  onChange: (period: string) => void;
  note?: (place: number) => string;
  named?: (month: string) => string | undefined;
}) {
  return (
    <Field label={props.label}>
      {(ids) => (
        <select
          {...ids}
          className="input"
          value={props.value}
          onChange={({ target: { value } }) => props.onChange(value)}
        >
          {props.months.map((one, place) => (
            <option key={one} value={one}>
              {props.named?.(one) ?? month(one)}
              {props.note?.(place)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The column of the transaction of an entry. */
export const TRANSACTION: Column<{ transactionHash: string }> = {
  key: 'hash',
  title: 'Transaction',
  cell: ({ transactionHash }) => (
    <span className="mono" title={transactionHash}>
      {shortHash(transactionHash)}
    </span>
  ),
};

export function Tied({ tied, yes = 'Ties', no = 'Does not tie' }: { tied: boolean; yes?: string; no?: string }) {
  return <Badge tone={tied ? 'good' : 'bad'}>{tied ? `✓ ${yes}` : `✕ ${no}`}</Badge>;
}

export function AccountName({ account }: { account: string }) {
  return <span title={aboutAccount(account)?.about}>{accountName(account)}</span>;
}

/** A side of an account that has nothing on it is quiet. */
export const side = (text: string, zero: boolean) => <span className={zero ? 'quiet' : undefined}>{text}</span>;
