/** The columns of the list of loans: how they look, and their text in a file. */
import { Link } from '@tanstack/react-router';
import { cents, plainAmount, shortHash, words } from '../../format.ts';
import { Day, Money, Status } from '../../parts/basics.tsx';
import type { ListColumn } from '../../parts/list.tsx';
import { bucketName } from './filters.ts';
import { createdDay } from './loan-days.ts';
import type { Loan } from './order.ts';

export type LoanColumn = ListColumn<Loan> & {
  /** In a file: amounts without separators, ISO dates. */
  text: (loan: Loan) => string;
};

const plain = (amount: string) => {
  const value = cents(amount);
  return value === null ? '' : plainAmount(value);
};

/** In the order in which they are shown: what matters most stands where a phone shows it. */
export const LOAN_COLUMNS: readonly LoanColumn[] = [
  {
    key: 'applicationId',
    title: 'Application',
    width: 112,
    cell: ({ loanId, applicationId }) => (
      <Link to="/loans/$loanId" params={{ loanId }} tabIndex={-1}>
        {applicationId}
      </Link>
    ),
    text: ({ applicationId }) => applicationId,
  },
  {
    key: 'loanStatus',
    title: 'Status',
    width: 172,
    cell: ({ loanStatus }) => <Status status={loanStatus} />,
    text: ({ loanStatus }) => loanStatus,
  },
  {
    key: 'daysPastDue',
    title: 'Days past due',
    width: 136,
    number: true,
    sort: 'daysPastDue',
    cell: ({ delinquentDays }) => (
      <span className={delinquentDays === '0' ? 'quiet' : 'loans-late'}>{delinquentDays}</span>
    ),
    text: ({ delinquentDays }) => delinquentDays.replaceAll(',', ''),
  },
  {
    key: 'balance',
    title: 'Balance, USD',
    width: 132,
    number: true,
    sort: 'balance',
    cell: ({ balance }) => <Money amount={balance} />,
    text: ({ balance }) => plain(balance),
  },
  {
    key: 'nextDue',
    title: 'Due',
    width: 120,
    sort: 'nextDueDate',
    cell: ({ nextPaymentDate }) => <Day date={nextPaymentDate} />,
    text: ({ nextPaymentDate }) => nextPaymentDate,
  },
  {
    key: 'loanAmount',
    title: 'Financed, USD',
    width: 120,
    number: true,
    cell: ({ loanAmount }) => <Money amount={loanAmount} />,
    text: ({ loanAmount }) => plain(loanAmount),
  },
  {
    key: 'borrowerId',
    title: 'Borrower',
    width: 128,
    cell: ({ borrowerId }) => <span title={borrowerId}>{borrowerId}</span>,
    text: ({ borrowerId }) => borrowerId,
  },
  {
    key: 'lenderId',
    title: 'Lender',
    width: 120,
    cell: ({ lenderId }) => <span title={lenderId}>{lenderId || '—'}</span>,
    text: ({ lenderId }) => lenderId,
  },
  {
    key: 'servicerId',
    title: 'Servicer',
    width: 120,
    cell: ({ primaryServicerId, secondaryServicerId }) => (
      <span title={[primaryServicerId, secondaryServicerId].filter(Boolean).join(', ')}>
        {primaryServicerId || '—'}
      </span>
    ),
    text: ({ primaryServicerId }) => primaryServicerId,
  },
  {
    key: 'created',
    title: 'Created',
    width: 120,
    sort: 'createdAt',
    cell: ({ createdAt }) => <Day date={createdDay(createdAt)} />,
    text: ({ createdAt }) => createdDay(createdAt) ?? '',
  },
  {
    key: 'bucket',
    title: 'Bucket',
    width: 168,
    cell: ({ bucket }) => <span>{bucket === null ? '—' : bucketName(bucket)}</span>,
    text: ({ bucket }) => bucket ?? '',
  },
  {
    key: 'closedBy',
    title: 'Closed by',
    width: 112,
    cell: ({ closedBy }) => <span>{closedBy === null ? '—' : words(closedBy)}</span>,
    text: ({ closedBy }) => closedBy ?? '',
  },
  {
    key: 'credit',
    title: 'Credit, USD',
    width: 112,
    number: true,
    cell: ({ credit }) => <Money amount={credit} />,
    text: ({ credit }) => plain(credit),
  },
  {
    key: 'creditSince',
    title: 'Credit since',
    width: 128,
    cell: ({ creditSince }) => <Day date={creditSince} />,
    text: ({ creditSince }) => creditSince ?? '',
  },
  {
    key: 'nonAccrualSince',
    title: 'Non-accrual since',
    width: 128,
    cell: ({ nonAccrualSince }) => <span>{nonAccrualSince === null ? '—' : nonAccrualSince}</span>,
    text: ({ nonAccrualSince }) => nonAccrualSince ?? '',
  },
  {
    key: 'published',
    title: 'Published',
    width: 92,
    cell: ({ published }) => <span>{published ? 'Yes' : 'No'}</span>,
    text: ({ published }) => (published ? 'yes' : 'no'),
  },
  {
    key: 'loanId',
    title: 'Loan id',
    width: 148,
    cell: ({ loanId }) => (
      <span className="mono" title={loanId}>
        {shortHash(loanId)}
      </span>
    ),
    text: ({ loanId }) => loanId,
  },
];

/** A phone shows three of them at a time: who, how late, how much. */
const [NAME, STATUS, DAYS, BALANCE, NEXT_DUE, ...OTHERS] = LOAN_COLUMNS;
export const NARROW_COLUMNS = [NAME, DAYS, BALANCE, NEXT_DUE, STATUS, ...OTHERS].filter(
  (column) => column !== undefined,
);

export const DEFAULT_COLUMNS = LOAN_COLUMNS.slice(0, 10).map(({ key }) => key);
/** With the next step beside them, on a screen of 1280 pixels. */
export const COLLECTIONS_COLUMNS = DEFAULT_COLUMNS.filter((key) => key !== 'servicerId' && key !== 'created');
export const COLUMN_KEYS = LOAN_COLUMNS.map(({ key }) => key);
