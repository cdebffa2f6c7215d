/**
 * Whether a record that was boarded reads as the record that was sent. What may differ is data with a reason each; one that no record
 * needs any more is to be struck.
 */
export type Exception = {
  /** A JSON pointer into the answer; `*` stands for one name or index. */
  readonly at: string;
  readonly because: string;
};

export type Comparison = { readonly differences: string[]; readonly used: ReadonlySet<Exception> };

export function compareRecords(sent: unknown, read: unknown, exceptions: readonly Exception[]): Comparison {
  const differences: string[] = [];
  const used = new Set<Exception>();
  const differ = (at: string, what: string) => {
    const known = exceptions.find((one) => isAt(at, one.at));
    if (known === undefined) differences.push(`${at}: ${what}`);
    else used.add(known);
  };
  const compare = (one: unknown, other: unknown, at: string): void => {
    if (!isHolder(one) || !isHolder(other) || Array.isArray(one) !== Array.isArray(other)) {
      if (!Object.is(one, other)) differ(at, `${shown(one)} was sent, ${shown(other)} is read`);
      return;
    }
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const where = `${at}/${name}`;
      if (!Object.hasOwn(other, name)) differ(where, `${shown(one[name])} was sent, nothing is read`);
      else if (!Object.hasOwn(one, name)) differ(where, `nothing was sent, ${shown(other[name])} is read`);
      else compare(one[name], other[name], where);
    }
  };
  compare(sent, read, '');
  return { differences, used };
}

function isAt(pointer: string, pattern: string): boolean {
  const [names, expected] = [pointer.split('/'), pattern.split('/')];
  return names.length === expected.length && expected.every((name, i) => name === '*' || name === names[i]);
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
