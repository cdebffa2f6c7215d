/**
 * Demands of an assessment: what must be shown, signed or asked before an approval is worth anything. A demand has a kind of a closed list
 * and a text for people. Those that the law asks for come before funding and are never waived; of the others the lending policy says which
 * must come first, and who may waive them. As objects of a loan they are its stipulations.
 */
import type { AssessedDeal } from './deal.ts';
import { KINDS, type PolicyDemand, type RestsOn, type Waiver } from './demand-kinds.ts';
import type { Facts } from './facts.ts';
import { alertsOf, peopleOf, type Who } from './file-flags.ts';
import type { LeftOut } from './left-out.ts';
import { memberOf, textOf } from './lenient-numbers.ts';
import { PEOPLE } from './people.ts';
import type { LendingPolicy } from './policy.ts';

export type Demand = PolicyDemand & {
  /** Absent: it is about the application as a whole. */
  readonly person?: Who;
  readonly beforeFunding: boolean;
  readonly waivedBy: Waiver;
  /** Its basis, in any form: where a later run finds the same, what was verified stays verified. */
  readonly fact: string;
};

/** A demand before the policy is asked when it must come, and who may waive it. */
type RawDemand = PolicyDemand & {
  readonly person?: Who;
  /** The law asks for it. */
  readonly byLaw?: boolean;
  /** Absent: by its kind, from the application. */
  readonly fact?: string;
};

type Basis = {
  readonly request: unknown;
  readonly facts: Facts;
  readonly policy: Pick<LendingPolicy, 'beforeFunding' | 'waivedBy'>;
};

/** Asked for by the law, whatever is decided: a decline may be overridden. */
export function demandsByLaw({ facts, ...basis }: Basis): Demand[] {
  const identity = peopleOf(facts).filter(({ hit, flags }) => hit && flags.ssnMatch === 'partial');
  return withPolicy({ facts, ...basis }, [
    ...alertsOf(facts),
    ...identity.map(({ person }) => ({ ...IDENTITY, person, byLaw: true })),
  ]);
}

const IDENTITY = { kind: 'identity', text: 'Proof of the social security number' } as const;

/** The demands of a deal. */
export function demandsOf(basis: Basis, { findings }: AssessedDeal): Demand[] {
  const { vehicle, income, leftOut } = basis.facts;
  const open: RawDemand[] = [
    ...findings.demands,
    ...(vehicle.vin === 'fits'
      ? []
      : [{ kind: 'vehicleIdentification', text: 'Vehicle identification number, verified on the vehicle' } as const]),
    ...(income.estimated ? [{ kind: 'proofOfIncome', text: 'Proof of income' } as const] : []),
    ...leftOut.map(forLeftOut),
  ];
  return joined(demandsByLaw(basis), withPolicy(basis, open));
}

const OF = { applicant: 'applicant', coApplicant: 'co-applicant' } as const;

function forLeftOut({ what, person }: LeftOut): RawDemand {
  const who = OF[person];
  switch (what) {
    case 'housing':
    case 'leastHousing':
      return { kind: 'housing', person, text: `Proof of the ${who}’s housing cost` };
    case 'birthDate':
      return { kind: 'birthDate', person, text: `Proof of the ${who}’s date of birth` };
    case 'incomeSource':
      return { kind: 'incomeSource', person, text: `Proof of the ${who}’s income, of which no source is stated` };
  }
}

/** Those of several lists, each once. */
export function joined(...lists: readonly (readonly Demand[])[]): Demand[] {
  const found = new Map<string, Demand>();
  for (const demand of lists.flat()) {
    const key = demandKey(demand);
    if (!found.has(key)) found.set(key, demand);
  }
  return [...found.values()];
}

/** The same demand in two runs, whether or not its fact is. */
export function demandKey({ kind, text, person = 'applicant' }: Pick<Demand, 'kind' | 'text' | 'person'>): string {
  // The text of an alert has its telephone number.
  return kind === 'fraudAlert' || kind === 'activeDutyAlert' ? `${kind} ${person}` : `${kind} ${person} ${text}`;
}

/** With what the policy says of each. */
export function withPolicy(basis: Basis, raw: readonly RawDemand[]): Demand[] {
  const { policy } = basis;
  return joined(
    raw.map(({ byLaw, fact, kind, text, person }) => {
      const isLaw = byLaw === true || kind === 'identity';
      const demand = { kind, text, ...(person && { person }) };
      return {
        ...demand,
        beforeFunding: isLaw || policy.beforeFunding.includes(kind),
        waivedBy: isLaw ? 'nobody' : (policy.waivedBy[kind] ?? 'underwriting:write'),
        fact: fact ?? factOf(basis.request, demand),
      };
    }),
  );
}

/** The texts of the record, each once. */
export function textsOf(demands: readonly Demand[]): string[] {
  return [...new Set(demands.map(({ text }) => text))];
}

/** The statements of the application on it; of a demand about nobody in particular, what both people say. */
function factOf(request: unknown, { kind, person }: RawDemand): string {
  const { own = [], plain = [], vehicle = [] }: RestsOn = KINDS[kind];
  const people = Object.values(PEOPLE).filter((one) => person === undefined || one.person === person);
  const said = people.flatMap(({ info, prefix }) =>
    [...own.map((name) => `${prefix}${name}`), ...plain].map((name) => textOf(memberOf(memberOf(request, info), name))),
  );
  const of = vehicle.map((name) => textOf(memberOf(memberOf(request, 'VehicleInfo'), name)));
  return [...said, ...of].join('|').toUpperCase();
}
