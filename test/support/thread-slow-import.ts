/** A module that takes a tenth of a second of processor time to import. */
const end = process.cpuUsage().user + 100_000;
while (process.cpuUsage().user < end);

export const double = (n: number): number => 2 * n;
