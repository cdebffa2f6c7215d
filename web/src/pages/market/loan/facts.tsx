/** Facts of the public record: the loan, its vehicle and its assessment. */
import type { ReactNode } from 'react';
import { day, forecastMoney, money, percent, share } from '../../../format.ts';
import { Panel } from '../../../parts/basics.tsx';
import type { PublicDetails } from '../data.ts';
import { dueLabel } from '../figures.ts';

export function Facts(props: { details: PublicDetails; kind: Record<string, string>; asOf: string }) {
  const { details, kind, asOf } = props;
  const { Auto } = details.loanInfo;
  const vehicle = [Auto?.year, Auto?.make, Auto?.model].filter(Boolean).join(' ');
  const rows: [label: string, value: ReactNode][] = [
    ['Grade', details.grade ? `${details.grade}${details.riskRating ? ` · ${details.riskRating} risk` : ''}` : '—'],
    ['Default probability', `${share(details.defaultProbability)} at underwriting`],
    ['Loan to value', share(kind.ltv)],
    ['Payment to income', rounded(kind.pti)],
    ['Debt to income', rounded(kind.dti)],
    ['Vehicle', vehicle || '—'],
    ['Mileage', Auto?.mileage ? `${Auto.mileage} miles` : '—'],
    [
      'VIN',
      Auto?.vin ? (
        <span key="vin" className="mono">
          {Auto.vin}
        </span>
      ) : (
        '—'
      ),
    ],
    ['Funded', day(kind.fundedDate)],
    ['First payment', day(details.firstPaymentDate)],
    [dueLabel(details.nextPaymentDate, asOf), day(details.nextPaymentDate)],
    ['Maturity', day(details.maturityDate)],
    ['Scheduled payment', `${money(kind.scheduledPayment)} ${(details.paymentFrequency ?? '').toLowerCase()}`],
    ['Rate type', `${details.interestRateType}, ${percent(details.interestRate)}`],
    ['Received', `${money(details.repaidAmount)} USD`],
    ['Charged off', money(kind.chargeoffAmount)],
    ['Recovered', money(kind.recoveredAmount)],
    ['Expected losses', `${forecastMoney(details.predictedChargeoffAmount)} at underwriting`],
    ['Servicer', details.primaryServicerId || '—'],
  ];
  return (
    <Panel title="Facts">
      <dl className="facts">
        {rows.map(([label, value]) => (
          <div key={label} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet small market-note">
        Payment to income and debt to income are rounded to protect the borrower’s privacy. Only the first part of the
        VIN is public.
      </p>
    </Panel>
  );
}

/** A fraction in whole percent. */
const rounded = (text: string | undefined): string => (text ? `about ${Math.round(Number(text) * 100)} %` : '—');
