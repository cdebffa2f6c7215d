/** The subject of each stipulation, as work for a thread: the last run is done again from its inputs. */
import type { Demand } from '../../underwriting/demand.ts';
import { demandsOfDeal } from '../../underwriting/underwrite.ts';
import { type Again, runAgain } from './run-again.ts';
import { stipulationId } from './stipulation-ids.ts';

/** By id. Without the telephone number of an alert, which the full record has. */
export type Described = Readonly<Record<string, Pick<Demand, 'kind' | 'text' | 'person'>>>;

export function describe(submitted: Again): Described {
  const again = runAgain(submitted);
  if (again === null) return {};
  const { assessment, input, application } = again;
  const { salt } = application.person;
  const listed = new Set(submitted.file.stipulations?.map(({ id }) => id));
  const described: Record<string, Described[string]> = {};
  const note = (demands: readonly Demand[]) => {
    for (const demand of demands) {
      const { kind, text, person } = demand;
      described[stipulationId(salt, demand)] = { kind, text: withoutNumber(text), ...(person && { person }) };
    }
  };
  note(assessment.demands);
  // A deal that was chosen has demands of its own.
  for (let i = 1; i < assessment.assessed.length && [...listed].some((id) => !(id in described)); i++) {
    note(demandsOfDeal(input, assessment, i));
  }
  return described;
}

function withoutNumber(text: string): string {
  return text.replace(/ at [+()\d][+()\d .-]{5,}\d/, ' at the number of the alert');
}
