/** "1,768,478,400,000", as the service tells a moment, as the day it was; null if there is none. */
export function createdDay(createdAt: string | undefined): string | null {
  if (createdAt === undefined || createdAt === '') return null;
  return new Date(Number(createdAt.replaceAll(',', ''))).toISOString().slice(0, 10);
}
