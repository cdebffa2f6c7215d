/**
 * Stipulations by id. An id is made of what is demanded and of the facts that it rests on, keyed by the loan's own salt: the same demand on
 * the same facts has the same id in every run, and an id alone says nothing of the facts. That of a demand of the law does not say
 * which one: it is about a person, and the loan's file is not sealed.
 */
import { createHmac } from 'node:crypto';
import type { ListedStipulation } from '../../core/stipulations.ts';
import { type Demand, demandKey } from '../../underwriting/demand.ts';

const BY_LAW: ReadonlySet<Demand['kind']> = new Set(['fraudAlert', 'activeDutyAlert', 'identity']);

export function stipulationId(salt: Uint8Array, demand: Demand): string {
  const { kind, fact } = demand;
  const digest = createHmac('sha256', salt)
    .update(JSON.stringify([demandKey(demand), fact]))
    .digest('hex');
  // Letters alone: a reference has no nine digits in a row.
  const letters = digest.slice(0, 12).replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] as string);
  return `${BY_LAW.has(kind) ? 'law' : kind}-${letters}`;
}

export function listedStipulations(salt: Uint8Array, demands: readonly Demand[]): ListedStipulation[] {
  return demands.map((demand) => ({
    id: stipulationId(salt, demand),
    beforeFunding: demand.beforeFunding,
    waivedBy: demand.waivedBy,
  }));
}
