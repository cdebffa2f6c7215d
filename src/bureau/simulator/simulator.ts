/**
 * The built-in bureau: fictitious people, the same for the same social security number on every machine and every day.
 * Only the nine digits determine the content of a file; names and addresses appear only on the printed report. Dates move with today.
 */
import { writeAnswer } from '../answer.ts';
import type { BureauFailure, BureauPull, BureauReport, BureauSubject } from '../bureau.ts';
import { writeTradeLines } from '../trade-lines.ts';
import { attributesOf } from './attributes.ts';
import type { CreditFile } from './file.ts';
import { FROZEN_FILE, inventFile, personOf, UNKNOWN_FILE } from './invent.ts';
import { reportPages } from './report/pages.ts';
import { reportedOn } from './reported.ts';

type When = Pick<BureauPull, 'today' | 'at'>;

/** Takes tens of milliseconds, mostly for the printed pages: `open.ts` runs it on a thread. */
export function simulate(subject: BureauSubject, pull: When): BureauReport | BureauFailure {
  const digits = digitsOf(subject.ssn);
  if (digits === null) {
    return { failed: 'refused', detail: 'The bureau needs a social security number of nine digits.', retryable: false };
  }
  const person = personOf(digits);
  if (person.is === 'failure') return person.failure;
  if (person.is === 'unknown') return reportOn(UNKNOWN_FILE, subject, pull);
  if (person.is === 'frozen') return reportOn(FROZEN_FILE, subject, pull);
  if (person.is === 'scored') {
    return reportOn({ ...inventFile(person.seed, person.profile), score: person.score }, subject, pull);
  }
  return reportOn(inventFile(digits, person.profile), subject, pull);
}

function digitsOf(ssn: string): string | null {
  const digits = ssn.replace(/[\s-]/g, '');
  return /^\d{9}$/.test(digits) ? digits : null;
}

function reportOn(file: CreditFile, subject: BureauSubject, { today, at }: When): BureauReport {
  const { tradeLines, inFileSince, ...figures } = reportedOn(file, today);
  const report = {
    ...figures,
    inFileSince,
    attributes: attributesOf(file, { reportDate: today, inFileSince, at }),
    tradeLinesCsv: writeTradeLines(tradeLines, today),
    pdf: reportPages({ file, subject, today, at, inFileSince, tradeLines }),
  };
  return { ...report, tradeLines, raw: writeAnswer(report) };
}
