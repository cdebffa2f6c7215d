/** Makes a simulated report on a thread: printing its pages takes tens of milliseconds. */
import type { BureauFailure, BureauPull, BureauReport, BureauSubject } from '../bureau.ts';
import { simulate, simulateScore } from './simulator.ts';

/** With a score, the report of a person whose score the demo sets. */
export function makeReport({
  subject,
  pull,
  score,
}: {
  subject: BureauSubject;
  pull: BureauPull;
  score: number | null;
}): BureauReport | BureauFailure {
  return score === null ? simulate(subject, pull) : simulateScore(subject, pull, score);
}
