/** Credit grades from A (best) to F, and the risk rating that each is shown with. */
export const GRADES = ['A', 'B', 'C', 'D', 'E', 'F'] as const;
export type Grade = (typeof GRADES)[number];

const RATINGS = { A: 'Low', B: 'Low', C: 'Medium', D: 'Medium', E: 'High', F: 'High' } as const;
export type RiskRating = (typeof RATINGS)[Grade];

export function riskRatingOf(grade: Grade): RiskRating {
  return RATINGS[grade];
}

export function isGrade(text: string): text is Grade {
  return text in RATINGS;
}
