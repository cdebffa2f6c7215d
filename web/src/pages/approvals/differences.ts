/** The figures of two outcomes, side by side: those that differ first. */
export function differences(before: unknown, now: unknown): { name: string; was?: string; is?: string }[] {
  const [old, next] = [figures(before), figures(now)];
  const names = [...new Set([...old.keys(), ...next.keys()])];
  const rows = names.map((name) => ({ name, ...figure('was', old.get(name)), ...figure('is', next.get(name)) }));
  const differs = (row: { was?: string; is?: string }) => row.was !== row.is;
  return [...rows.filter(differs), ...rows.filter((row) => !differs(row))];
}

/** Members that do not describe the outcome. */
const SILENT = new Set(['transactionHash', 'loanId', 'dryRun', 'approval']);

function figures(outcome: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries((outcome ?? {}) as object)) {
    if (SILENT.has(name)) continue;
    if (typeof value === 'string' || typeof value === 'number') found.set(name, String(value));
    // The split of a payment.
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [part, amount] of figures(value)) found.set(part, amount);
  }
  return found;
}

function figure(name: 'was' | 'is', value: string | undefined): { was?: string; is?: string } {
  return value === undefined ? {} : { [name]: value };
}
