/** The request for an offer, and the offer: the decision on an application and its sixty deals, computed and not stored. */
import type { PlainDate } from '../../core/calendar.ts';
import type { HardStop } from '../../core/hard-stops.ts';
import type { DealRow } from './deal-rows.ts';

/**
 * The source of the credit report: the request; the simulator, where the organization's bureau is that; or nowhere. No bureau is ever
 * asked for an offer: a pull is an inquiry on a person's file.
 */
export const REPORT_SOURCES = ['request', 'simulator', 'none'] as const;
type ReportSource = (typeof REPORT_SOURCES)[number];

export type Offer = {
  /** On the deal that was asked for. */
  readonly decision: 'APPROVED' | 'DECLINED';
  /** The principal reasons, as a notice words them. */
  readonly reasons: readonly string[];
  /** With the figures. */
  readonly decisionReason: string;
  /** Facts about the people or the requested deal that no approval passes over. */
  readonly hardStops: readonly HardStop[];
  readonly warnings: readonly string[];
  readonly stipulations: readonly string[];
  readonly grade: string;
  readonly riskRating: string;
  /** For the person under the standard deal, which the grade is read off. */
  readonly standardDefaultProbability: string;
  readonly reportFrom: ReportSource;
  readonly modelVersion: string;
  readonly policyVersion: string;
  readonly asOf: PlainDate;
  readonly deals: readonly DealRow[];
  /** The deals that would be approved if the one asked for is declined, by index, the nearest first. */
  readonly counterOffers: readonly number[];
};
