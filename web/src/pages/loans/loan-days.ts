/** `createdAt` of a list ("2026-01-15T12:00:00.000Z") or of a record ("1,768,478,400,000"), in milliseconds. */
export const createdMoment = (createdAt: string): number =>
  createdAt.includes('T') ? Date.parse(createdAt) : Number(createdAt.replaceAll(',', ''));

/** The day on which a loan was created; null if it is not known yet. */
export function createdDay(createdAt: string | undefined): string | null {
  if (createdAt === undefined || createdAt === '') return null;
  return new Date(createdMoment(createdAt)).toISOString().slice(0, 10);
}
