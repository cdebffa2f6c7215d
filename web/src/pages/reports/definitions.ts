/**
 * Definitions of the figures of the reports, in the words of the contract: a test compares them with openapi.json. Formulas are those of
 * docs/portfolio.md.
 */

export type ReportName = 'summary' | 'delinquency' | 'roll-rates' | 'vintages' | 'cashflows' | 'yield' | 'prepayment';

export const DEFINITIONS: Readonly<Record<ReportName, Readonly<Record<string, string>>>> = {
  summary: {
    count: 'Open loans: funded, not closed and not charged off. All balances below are theirs.',
    original: 'Their original principal: disbursed, or boarded.',
    principal: 'Principal owed.',
    interest: 'Interest owed and carried in the books.',
    fees: 'Fees owed and carried in the books.',
    credits: 'Money owed back to borrowers, including those of closed and charged-off loans.',
    credits0To29Count: 'Loans whose credit has stood for 0 to 29 days.',
    credits0To29: 'Their credits.',
    credits30To59Count: 'Loans whose credit has stood for 30 to 59 days.',
    credits30To59: 'Their credits.',
    credits60To89Count: 'Loans whose credit has stood for 60 to 89 days.',
    credits60To89: 'Their credits.',
    credits90To119Count: 'Loans whose credit has stood for 90 to 119 days.',
    credits90To119: 'Their credits.',
    credits120AndMoreCount: 'Loans whose credit has stood for 120 days or more.',
    credits120AndMore: 'Their credits.',
    kept: 'Principal that the books keep of charged-off loans: what their collateral covers.',
    averageRate: 'Interest rate, percent a year, weighted by principal. Null if there is nothing to measure.',
    averageRemainingTerm: 'Installments left, weighted by principal. Null if there is nothing to measure.',
    averageAge: 'Months since the month of funding, weighted by principal. Null if there is nothing to measure.',
    fundedCount: 'Open loans with the status Funded.',
    fundedPrincipal: 'Their principal.',
    currentCount: 'Open loans with the status Current.',
    currentPrincipal: 'Their principal.',
    delinquentCount: 'Open loans with the status Delinquent: past due for longer than their grace days.',
    delinquentPrincipal: 'Their principal.',
    defaultedCount: 'Open loans with the status Defaulted.',
    defaultedPrincipal: 'Their principal.',
    pastDue30Count: 'Open loans that are 30 or more days past due.',
    pastDue30Principal: 'Their principal.',
    pastDue30Share:
      'Their principal in percent of the principal of all open loans. Null if there is nothing to measure.',
    chargedOffCount: 'Charged-off loans that are not closed.',
    chargedOffClaims: 'Principal that their borrowers still owe.',
    totalChargedOff: 'Principal charged off since the beginning of the book.',
    totalRecovered: 'Recoveries since the beginning of the book.',
    totalForgiven: 'Principal forgiven in settlements and waivers since the beginning of the book.',
    predictedLoss:
      'Net loss that underwriting predicted for the open loans, percent of their original principal; null if none was predicted.',
  },
  delinquency: {
    bucket: 'Days past due: `current`, `1-29`, `30-59`, `60-89`, `90-119` or `120+`.',
    count: 'Open loans in the bucket.',
    principal: 'Their principal.',
    countShare: 'Percent of all open loans; null if there are none.',
    principalShare: 'Percent of the principal of all open loans; null if there is none.',
  },
  'roll-rates': {
    from: 'Where the loans were on the first date: a bucket, `chargedOff`, or `new` for those that entered the book since.',
    to: 'Where they were on the second date: a bucket, `chargedOff`, `paidOff` (also rescinded, or boarded by mistake), or `transferred` to another owner.',
    count: 'Loans.',
    principalFrom: 'Their principal on the first date.',
    principalTo: 'Their principal on the second date; for charged-off loans, the remaining claim.',
    countRate: 'Percent of the loans that were in `from`; null for new loans.',
    principalRate:
      'Principal on the first date in percent of that of all loans that were in `from`; null for new loans.',
  },
  vintages: {
    vintage:
      'The month in which the loans were funded; for boarded loans, the month of their contract. Empty: unknown.',
    month: 'The month, such as `2026-10`.',
    age: 'Months since the vintage.',
    originalCount: 'Loans that entered the pool by then: funded, boarded or bought.',
    original: 'Their original principal.',
    count: 'Open loans.',
    principal: 'Their principal.',
    poolFactor: 'Principal in percent of original. Null if there is nothing to measure.',
    grossLoss: 'Principal charged off or forgiven so far.',
    recoveries: 'Recoveries so far.',
    netLoss: 'Gross loss less recoveries.',
    grossLossShare: 'Gross loss in percent of original. Null if there is nothing to measure.',
    netLossShare: 'Net loss in percent of original: cumulative net loss. Null if there is nothing to measure.',
    prepaid: 'Principal received ahead of schedule so far.',
    prepaidShare: 'In percent of original. Null if there is nothing to measure.',
    pastDue60Principal: 'Principal of open loans that are 60 or more days past due.',
    pastDue60Share: 'In percent of the principal of open loans. Null if there is nothing to measure.',
  },
  cashflows: {
    month: 'The month, such as `2026-10`.',
    through: 'The last date of the month that is included: its end, or the date of the report.',
    openingPrincipal: 'Principal of open loans at the end of the month before, as that month shows it.',
    priorPeriod:
      'As reported: by how much facts that were recorded in the month about earlier ones changed that principal; null by status. Restated: 0.',
    disbursed: 'Principal lent, boarded or bought, less principal of loans that were sold or rescinded.',
    scheduled: 'Installments due in the month by contract; null while the month is not over.',
    received:
      'All cash received: the next four amounts and recoveries; as reported with `receivedLate` and `returned`.',
    scheduledPrincipal: 'Principal received by schedule or late.',
    unscheduledPrincipal: 'Principal received ahead of schedule.',
    interest: 'Interest received.',
    fees: 'Fees received.',
    recoveries: 'All money received after a charge-off, less amounts owed back.',
    receivedLate: 'As reported: payments recorded in the month that took effect in an earlier one. Restated: 0.',
    returned:
      'As reported: payments of earlier months that were returned or reversed in the month, negative. Restated: 0, the payments are not in their months.',
    chargedOff: 'Principal charged off.',
    forgiven: 'Principal forgiven in settlements and waivers.',
    closingPrincipal: 'Principal of open loans at the end.',
  },
  yield: {
    period: 'A month, such as `2026-10`, or the last twelve months together (`last12Months`), or all of them (`life`).',
    months: 'Months in the period; the current month counts as one and is weighted by its days.',
    interest: 'Interest received.',
    fees: 'Fees received.',
    chargedOff: 'Principal charged off.',
    recoveries: 'All money received after a charge-off, less amounts owed back.',
    forgiven: 'Principal forgiven in settlements and waivers.',
    income: 'Interest, fees and recoveries, less amounts charged off and forgiven.',
    averageBalance: 'The average of the months’ balances, each the mean of its opening and closing balance.',
    realized: 'Income for a year in percent of the average balance; null without a balance.',
    predicted:
      'Yield that underwriting predicted, weighted by the balances of the same months; null if none was predicted.',
    difference: 'Realized less predicted. Null if there is nothing to measure.',
    predictedShare: 'Percent of the balance for which there is a prediction. Null if there is nothing to measure.',
  },
  prepayment: {
    period:
      'A month, such as `2026-10`, or an average over the last months: `last3Months`, `last6Months`, `last12Months`, `life`.',
    months: 'Months in the period that had a balance.',
    openingPrincipal: 'Principal of open loans at the beginning of the period.',
    scheduledPrincipal: 'Principal received from them by schedule or late.',
    unscheduledPrincipal: 'Principal received from them ahead of schedule.',
    chargedOff: 'Principal of them that was charged off.',
    averageAge:
      'Their age in months at the end of the first month of the period, weighted by principal. Null if there is nothing to measure.',
    smm: 'Single monthly mortality: unscheduled principal as a share of the principal left after scheduled payments. Null if there is nothing to measure.',
    cpr: 'The same for a year: 1 − (1 − SMM)^12. Null if there is nothing to measure.',
    abs: 'ABS speed: SMM ÷ (1 + SMM × (age − 1)). Null if there is nothing to measure.',
    smmWithChargeOffs: 'SMM with charge-offs counted as prepaid. Null if there is nothing to measure.',
    cprWithChargeOffs: 'CPR with charge-offs counted as prepaid. Null if there is nothing to measure.',
    absWithChargeOffs: 'ABS speed with charge-offs counted as prepaid. Null if there is nothing to measure.',
    cdr: 'Conditional default rate for a year: 1 − (1 − charged off ÷ opening principal)^12. Null if there is nothing to measure.',
  },
};

/** Notes on whole reports, shown above their figures. */
export const ABOUT: Readonly<Record<ReportName, readonly string[]>> = {
  summary: [
    'An open loan has the status Funded, Current, Delinquent or Defaulted, and principal, interest or fees are owed. A charged-off loan is a claim and no part of the balance.',
    'A weighted average is Σ (value × principal) ÷ Σ principal over open loans.',
  ],
  delinquency: [
    'Buckets follow from days past due alone, whatever the grace days and the status. Loans in default are in them, charged-off loans are not. A share is of all open loans.',
  ],
  'roll-rates': [
    'How many loans went from where to where between two dates. A rate is of the loans, or of the principal on the first date, that were in the row; the rates of each row add up to 100 %.',
    'Paid off: nothing is owed. Charged off: a claim is left. New loans entered the book in between and have no rates. Loans that entered and left between the dates are not counted.',
  ],
  vintages: [
    'A loan enters the pool of its vintage in the month in which it enters the book, and stays in the original when it is sold.',
    'Gross loss = Σ (charged off + forgiven); net loss = gross loss − Σ recovered; both since the beginning of the pool. Net loss in percent of original is the cumulative net loss (CNL).',
    'The curve of a year adds up the pools of its months, as far as every one of them has reached.',
  ],
  cashflows: [
    'Received = scheduled principal + prepaid principal + interest + fees + recoveries. Late installments are scheduled principal.',
  ],
  yield: [
    'Income is cash: interest + fees + recoveries − charged off − forgiven. Realized = 12 × Σ income ÷ Σ balance, where the balance of a month is half of what it began and ended with; the present month counts by its days.',
  ],
  prepayment: [
    'SMM = unscheduled principal ÷ (opening principal − scheduled principal received). CPR = 1 − (1 − SMM)^12. ABS = SMM ÷ (1 + SMM × (age − 1)). CDR = 1 − (1 − charged off ÷ opening principal)^12.',
    'An average over several months is the constant speed that leaves as much as the months did. Only months that are over count.',
  ],
};
