/** The content of a credit file. Ages are whole months and days before the day it is read; amounts are whole dollars. */
import type { FileFlags } from '../bureau.ts';
import type { Account } from './accounts.ts';

export type CreditFile = {
  readonly hit: boolean;
  /** A frozen file is empty. */
  readonly flags: FileFlags;
  readonly hasStatement: boolean;
  readonly score: number | null;
  /** The reasons that the score is not higher, the most important first; at most four. */
  readonly factors: readonly string[];
  /** Whole months since the oldest account was opened, and the days beyond them; null without one. */
  readonly inFile: { readonly months: number; readonly days: number } | null;
  readonly accounts: readonly Account[];
  readonly collections: readonly Collection[];
  readonly bankruptcies: readonly Bankruptcy[];
  readonly inquiries: readonly Inquiry[];
};

export type Collection = {
  readonly agency: string;
  readonly member: string;
  readonly number: string;
  readonly about: 'medical' | 'utility' | 'retail';
  readonly age: number;
  readonly days: number;
  /** Months since it was paid. */
  readonly agePaid: number | null;
  readonly amount: number;
  /** Whole dollars still owed. */
  readonly balance: number;
};

export type Bankruptcy = {
  readonly chapter: 7 | 13;
  readonly age: number;
  readonly days: number;
  readonly discharged: boolean;
};
export type Inquiry = {
  readonly from: string;
  readonly kind: 'auto' | 'bank' | 'retail' | 'finance';
  readonly daysAgo: number;
};
