/** Results as tables or JSON. */

export function show(answer: object, json = false): void {
  console.log(json ? JSON.stringify(answer, null, 2) : table(answer));
}

/** A list of rows as aligned columns, a single object as names and values, groups of lists under their names. */
function table(answer: object): string {
  if (!Array.isArray(answer)) {
    const entries = Object.entries(answer);
    if (entries.length > 0 && entries.every(([, value]) => Array.isArray(value))) {
      return entries.map(([group, rows]) => `${group}\n${table(rows)}`).join('\n\n');
    }
    const width = Math.max(0, ...entries.map(([member]) => member.length));
    return entries.map(([member, value]) => `${member.padEnd(width)}  ${cell(value)}`).join('\n');
  }
  if (answer.length === 0) return '(none)';
  const columns = Object.keys(answer[0] as object);
  const rows = [columns, ...answer.map((row: Record<string, unknown>) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) {
    return value.map((one) => (typeof one === 'object' ? String(Object.values(one)[0]) : String(one))).join(' ') || '-';
  }
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([member, one]) => `${member} ${cell(one)}`)
      .join(', ');
  }
  return String(value);
}

/** `1 problem`, `2,000 problems`. */
export function count(n: number, one: string): string {
  return `${n.toLocaleString('en-US')} ${one}${n === 1 ? '' : 's'}`;
}

/** A progress bar on a terminal, otherwise a line every few seconds. */
export function progressBar(of: string): (done: number, total: number) => void {
  const { stderr } = process;
  let saidAt = performance.now();
  return (done, total) => {
    const all = Math.max(done, total);
    const share = all === 0 ? 1 : done / all;
    const text = `${Math.floor(share * 100)} % (${done} of ${all} ${of})`;
    if (stderr.isTTY) {
      stderr.write(`\r[${'█'.repeat(Math.round(share * 30)).padEnd(30, '·')}] ${text}${done === all ? '\n' : ''}`);
    } else if (performance.now() - saidAt >= 3_000) {
      saidAt = performance.now();
      stderr.write(`${text}\n`);
    }
  };
}
