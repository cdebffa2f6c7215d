/** Figures given at some points: even between two points, constant before the first and after the last. */
export function interpolated<P>(
  points: readonly P[],
  at: (point: P) => number,
  figure: (point: P) => number,
  where: number,
): number {
  const after = points.findIndex((point) => at(point) >= where);
  const to = points[after] ?? points.at(-1);
  if (to === undefined) throw new Error('There are no points to go between.');
  const from = points[after - 1];
  if (after < 0 || from === undefined) return figure(to);
  return figure(from) + ((figure(to) - figure(from)) * (where - at(from))) / (at(to) - at(from));
}
