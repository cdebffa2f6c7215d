/** Score bands: how studies cut a population, and how published figures are told. */
export const BANDS = [
  { name: '780+', from: 780, to: 850 },
  { name: '720–779', from: 720, to: 779 },
  { name: '680–719', from: 680, to: 719 },
  { name: '640–679', from: 640, to: 679 },
  { name: '600–639', from: 600, to: 639 },
  { name: '560–599', from: 560, to: 599 },
  { name: 'below 560', from: 300, to: 559 },
] as const;

export type ScoreBand = (typeof BANDS)[number]['name'];
export type Band = ScoreBand | 'no score';

export function bandOf(score: number | null): Band {
  if (score === null) return 'no score';
  return BANDS.find(({ from }) => score >= from)?.name ?? 'below 560';
}
