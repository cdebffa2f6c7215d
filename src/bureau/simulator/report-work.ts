/** Making a simulated report, as work for a thread: printing its pages takes some tens of milliseconds. */
import type { BureauFailure, BureauPull, BureauReport, BureauSubject } from '../bureau.ts';
import { simulate } from './simulator.ts';

export function makeReport({
  subject,
  pull,
}: {
  subject: BureauSubject;
  pull: BureauPull;
}): BureauReport | BureauFailure {
  return simulate(subject, pull);
}
