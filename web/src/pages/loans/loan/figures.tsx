/** Six key figures of a loan. Each unfolds its explanation below, over the whole width. */
import { useQuery } from '@tanstack/react-query';
import type { Data } from 'daybook-sdk';
import { type ReactNode, useId, useState } from 'react';
import { read } from '../../../api.ts';
import { cents, day, money, percent, share, words } from '../../../format.ts';
import { Day, Field, Money } from '../../../parts/basics.tsx';
import { nextDueIn } from '../../../parts/operation/facts.ts';
import { ErrorState, Loading } from '../../../parts/states.tsx';
import type { Summary } from './head.tsx';
import { loanRead } from './loan-read.ts';
import { addDays, isNow, type Point, queryOf } from './point.ts';
import { pastDueNote } from './standing.ts';
import { Why } from './why.tsx';

type Open = 'owed' | 'payoff' | 'otherDay' | 'pastDue' | 'nextDue' | null;

export function Figures({ loanId, summary, point }: { loanId: string; summary: Summary; point: Point }) {
  const [open, setOpen] = useState<Open>(null);
  const id = useId();
  const payoff = useQuery(loanRead('readPayoff', loanId, point)).data?.data;
  const schedule = useQuery(loanRead('readSchedule', loanId, point)).data?.data;
  const { loanDetails } = summary;
  const servicing = servicingOf(summary);
  if (servicing === undefined) return <PlannedFigures summary={summary} schedule={schedule} />;
  const when = isNow(point) ? 'today' : 'then';
  const late = schedule?.installments.filter(({ pastDue }) => pastDue).length ?? 0;
  // Past-due amounts have their own figure: the next installment is the first that is not late yet.
  const next = nextDueIn(schedule, summary.asOf);
  const left = schedule?.installments.filter(({ satisfiedOn }) => satisfiedOn === null).length;
  const why = (which: Exclude<Open, null>, label: string, text = 'why?') => (
    <button
      type="button"
      className="link"
      aria-expanded={open === which}
      aria-controls={id}
      aria-label={label}
      onClick={() => setOpen(open === which ? null : which)}
    >
      {text}
    </button>
  );
  return (
    <section aria-label="Figures" className="loan-figures">
      <div className="figures">
        <One
          label="Principal"
          value={money(summary.balance)}
          note={`owed ${when}`}
          why={why('owed', 'Why is this owed?')}
        />
        <One
          label={`Payoff ${when}`}
          value={payoff ? money(payoff.payoff) : null}
          why={
            <>
              {why('payoff', 'Why is the payoff this amount?')}
              {' · '}
              {why('otherDay', 'Payoff on another day', 'another day')}
            </>
          }
        />
        <One
          label="Past due"
          value={money(loanDetails.delinquentAmount)}
          tone={(cents(loanDetails.delinquentAmount) ?? 0n) > 0n ? 'late' : undefined}
          note={schedule && pastDueNote(late, payoff?.fees)}
          why={why('pastDue', 'Why is this past due?')}
        />
        <One
          label="Next due"
          value={schedule === undefined ? null : next === undefined ? '—' : money(next.open)}
          note={next && <Day date={next.dueDate} />}
          why={next && why('nextDue', 'Why is this due next?')}
        />
        <One label="Rate" value={percent(loanDetails.interestRate)} note={rateNote(summary)} />
        <One
          label="Remaining"
          value={left === undefined ? null : `${left} of ${schedule?.installments.length ?? 0}`}
          note={loanDetails.maturityDate === '' ? undefined : <>to {day(loanDetails.maturityDate)}</>}
        />
      </div>
      <div id={id} aria-live="polite">
        {open !== null && (
          <div className="why">
            {open === 'owed' && <OwedWhy {...{ loanId, point, summary }} />}
            {open === 'payoff' && <Why {...{ loanId, point }} figure="payoff" />}
            {open === 'otherDay' && <OtherDay {...{ loanId, point }} today={summary.asOf} />}
            {open === 'pastDue' && <Why {...{ loanId, point }} figure="pastDue" />}
            {open === 'nextDue' && next && <NextWhy {...{ loanId, point, next }} first={late === 0} />}
          </div>
        )}
      </div>
    </section>
  );
}

/** Figures before funding: the requested terms, and the plan if the loan were funded on that day. */
function PlannedFigures({ summary, schedule }: { summary: Summary; schedule: Data<'readSchedule'> | undefined }) {
  const { loanDetails } = summary;
  const first = schedule?.installments[0];
  return (
    <section aria-label="Figures" className="loan-figures">
      <div className="figures">
        <One label="Amount" value={money(loanDetails.loanAmount)} note="requested" />
        <One
          label="Payment"
          value={schedule ? money(schedule.levelPayment) : null}
          note={words(loanDetails.paymentFrequency)}
        />
        <One label="Rate" value={percent(loanDetails.interestRate)} note={rateNote(summary)} />
        <One
          label="Installments"
          value={schedule ? schedule.installments.length : null}
          note={`term ${loanDetails.term} months`}
        />
        <One
          label="First due"
          value={schedule ? day(first?.dueDate) : null}
          note={schedule && `if funded ${day(schedule.asOf)}`}
        />
        <One
          label="Vehicle value"
          value={money(loanDetails.collateralAmount)}
          note={words(loanDetails.collateralType)}
        />
      </div>
    </section>
  );
}

const rateNote = ({ loanDetails }: Summary): string =>
  loanDetails.apr === '' ? words(loanDetails.interestRateType) : `APR ${share(loanDetails.apr)}`;

function One(props: { label: string; value: ReactNode; note?: ReactNode; why?: ReactNode; tone?: 'late' | undefined }) {
  return (
    <div className="loan-figure">
      <div className="figure-label">{props.label}</div>
      <div className={`figure-value ${props.tone ?? ''}`}>{props.value ?? <span className="bar" />}</div>
      <div className="figure-note">
        {props.note}
        {props.why && (
          <span className="no-print">
            {props.note && ' · '}
            {props.why}
          </span>
        )}
      </div>
    </div>
  );
}

/** The figures of servicing are under the type of the loan; before funding they are only planned, and undefined here. */
export function servicingOf({ loanDetails }: Summary) {
  const figures = Object.values(loanDetails.metadata)[0];
  return figures?.fundedDate === '' ? undefined : figures;
}

function OwedWhy({ loanId, point, summary }: { loanId: string; point: Point; summary: Summary }) {
  const servicing = servicingOf(summary);
  return (
    <div className="why-parts">
      {servicing && (
        <div className="why-text">
          <h3>Principal</h3>
          <p>
            {money(servicing.originalBalance)} was lent and {money(servicing.totalPrincipalPaid)} has been repaid, so{' '}
            {money(summary.balance)} is owed.
          </p>
        </div>
      )}
      <Why {...{ loanId, point }} figure="interest" title="Interest" />
      <Why {...{ loanId, point }} figure="fees" title="Fees" />
    </div>
  );
}

type Installment = Data<'readSchedule'>['installments'][number];

/** The next installment comes from the schedule: the engine's next payment includes everything past due. */
function NextWhy(props: { loanId: string; point: Point; next: Installment; first: boolean }) {
  const { loanId, point, next } = props;
  return (
    <div className="why-text">
      <p>
        Installment {next.n} of {money(next.amount)}: principal {money(next.principal)}, interest {money(next.interest)}
        {(cents(next.paid) ?? 0n) > 0n && `, less ${money(next.paid)} already paid`}. It is due on {day(next.dueDate)}.
      </p>
      {props.first && <Why {...{ loanId, point }} figure="nextPayment" />}
    </div>
  );
}

const LATEST_DAYS = 365;

function OtherDay({ loanId, point, today }: { loanId: string; point: Point; today: string }) {
  const [date, setDate] = useState(() => addDays(today, 10));
  const query = useQuery({
    ...read('readPayoff', { path: { loan_id: loanId }, query: { ...queryOf({ ...point, asOf: null }), date } }),
    enabled: date >= today,
  });
  const payoff = query.data?.data;
  return (
    <div className="other-day">
      <Field label="Payoff on" wrong={date < today ? 'Choose today or a later day.' : undefined}>
        {(ids) => (
          <input
            {...ids}
            type="date"
            className="input"
            value={date}
            min={today}
            max={addDays(today, LATEST_DAYS)}
            onChange={(event) => event.target.value !== '' && setDate(event.target.value)}
          />
        )}
      </Field>
      {query.error !== null && <ErrorState error={query.error} retry={() => query.refetch()} />}
      {query.isLoading && <Loading rows={3} />}
      {payoff && (
        <table className="why-steps">
          <tbody>
            {(
              [
                ['Principal', payoff.principal],
                ['Interest', payoff.interest],
                ['Fees', payoff.fees],
                ['Prepayment penalty', payoff.prepaymentPenalty],
                ['Credits', payoff.credits],
              ] as const
            )
              .filter(([, amount], n) => n < 3 || (cents(amount) ?? 0n) !== 0n)
              .map(([label, amount]) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  <td className="number">
                    <Money amount={amount} />
                  </td>
                </tr>
              ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Payoff on {day(payoff.date)}</th>
              <td className="number">
                <strong>{money(payoff.payoff)}</strong>
              </td>
            </tr>
          </tfoot>
        </table>
      )}
      {payoff && (
        <p className="quiet small">
          Each further day adds {money(payoff.perDiem)} if nothing else changes. A quote makes the amount binding.
        </p>
      )}
    </div>
  );
}
