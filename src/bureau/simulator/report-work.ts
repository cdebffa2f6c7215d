/** Makes a simulated report on a thread: printing its pages takes tens of milliseconds. */
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
