/**
 * The highest rate of every state and the District of Columbia, as data. None of it was checked against a text of the law: each is marked
 * `unverified` and warns on every deal until the lender's counsel has confirmed or replaced it in the lender's own policy. Where the law
 * has several limits, by amount or by the vehicle's age, the lowest for an ordinary automobile loan is taken; null: the rate is as agreed.
 */
import { date } from '../core/calendar.ts';
import type { StateLimit } from './policy.ts';

const SINCE = date('2000-01-01');
const DRAWN_UP = date('2026-11-19');

function cap(state: string, limit: number | null, source: string, more: Partial<StateLimit> = {}): StateLimit {
  return { state, from: SINCE, until: null, limit, source, asOf: DRAWN_UP, status: 'unverified', ...more };
}

export const STATE_CAPS: readonly StateLimit[] = [
  cap('AK', 24, 'Alaska Stat. 06.20.230'),
  cap('AL', null, 'Ala. Code 5-19-3'),
  cap('AR', 17, 'Ark. Const. amend. 89 § 3'),
  cap('AZ', 24, 'Ariz. Rev. Stat. 6-632'),
  cap('CA', null, 'Cal. Civ. Code 2981 ff.; Cal. Fin. Code 22304.5'),
  cap('CO', 21, 'Colo. Rev. Stat. 5-2-201'),
  cap('CT', 15, 'Conn. Gen. Stat. 36a-772'),
  cap('DC', 24, 'D.C. Code 28-3301'),
  cap('DE', null, 'Del. Code tit. 5 § 2229'),
  cap('FL', 18, 'Fla. Stat. 516.031', { until: date('2024-06-30') }),
  cap('FL', 24, 'Fla. Stat. 516.031 as amended by ch. 2024-131', { from: date('2024-07-01') }),
  cap('GA', 60, 'Ga. Code 7-4-18'),
  cap('HI', 24, 'Haw. Rev. Stat. 476-28'),
  cap('IA', 18, 'Iowa Code 322.19'),
  cap('ID', null, 'Idaho Code 28-42-201'),
  cap('IL', 36, '815 Ill. Comp. Stat. 123/15-5-5'),
  cap('IN', 25, 'Ind. Code 24-4.5-2-201'),
  cap('KS', 21, 'Kan. Stat. 16a-2-401'),
  cap('KY', 24, 'Ky. Rev. Stat. 286.4-530'),
  cap('LA', 21, 'La. Rev. Stat. 9:3519'),
  cap('MA', 21, 'Mass. Gen. Laws ch. 255B § 14'),
  cap('MD', 24, 'Md. Code, Com. Law 12-609'),
  cap('ME', 18, 'Me. Rev. Stat. tit. 9-A § 2-201'),
  cap('MI', 25, 'Mich. Comp. Laws 492.118'),
  cap('MN', 18, 'Minn. Stat. 53C.09'),
  cap('MO', null, 'Mo. Rev. Stat. 408.100'),
  cap('MS', 18, 'Miss. Code 63-19-43'),
  cap('MT', 36, 'Mont. Code 32-5-301'),
  cap('NC', 18, 'N.C. Gen. Stat. 25A-15'),
  cap('ND', null, 'N.D. Cent. Code 51-13'),
  cap('NE', 18, 'Neb. Rev. Stat. 45-338'),
  cap('NH', 36, 'N.H. Rev. Stat. 399-A:16'),
  cap('NJ', 30, 'N.J. Stat. 2C:21-19'),
  cap('NM', 36, 'N.M. Stat. 58-15-17'),
  cap('NV', null, 'Nev. Rev. Stat. 99.050'),
  // Civil usury. Interest there includes whatever is paid for the loan; criminal usury (Penal Law 190.40) begins at 25 %.
  cap('NY', 16, 'N.Y. Gen. Oblig. Law 5-501; N.Y. Banking Law 14-a'),
  cap('OH', 25, 'Ohio Rev. Code 1317.061'),
  cap('OK', 21, 'Okla. Stat. tit. 14A § 2-201'),
  cap('OR', 36, 'Or. Rev. Stat. 725.340'),
  cap('PA', 18, '12 Pa. Cons. Stat. 6243'),
  cap('RI', 21, 'R.I. Gen. Laws 6-26-2'),
  cap('SC', 18, 'S.C. Code 37-3-201'),
  cap('SD', 36, 'S.D. Codified Laws 54-4-44'),
  cap('TN', 24, 'Tenn. Code 47-14-103'),
  cap('TX', 18, 'Tex. Fin. Code 303.009'),
  cap('UT', null, 'Utah Code 15-1-1; 70C-2-101'),
  cap('VA', 36, 'Va. Code 6.2-1520'),
  cap('VT', 18, 'Vt. Stat. tit. 9 § 41a'),
  cap('WA', 25, 'Wash. Rev. Code 31.04.105'),
  cap('WI', null, 'Wis. Stat. 422.201'),
  cap('WV', 18, 'W. Va. Code 46A-3-101'),
  cap('WY', 21, 'Wyo. Stat. 40-14-310'),
];
