/** Values of a statement that are equal: columns, each by a key of its own, and constants. */
export type Ties = {
  tie(one: string, other: string): void;
  areTied(keys: readonly string[]): boolean;
  /** The constant that a column equals; null: none. */
  constantOf(key: string): string | null;
};

const CONSTANT = 'constant ';
export const constant = (value: string): string => `${CONSTANT}${value}`;
export const isConstant = (key: string): boolean => key.startsWith(CONSTANT);

export function openTies(): Ties {
  const above = new Map<string, string>();
  const rootOf = (key: string): string => {
    let root = key;
    for (let next = above.get(root); next !== undefined; next = above.get(root)) root = next;
    return root;
  };
  return {
    tie(one, other) {
      const [a, b] = [rootOf(one), rootOf(other)];
      if (a === b) return;
      // A constant stays at the root, where it is looked for.
      if (isConstant(a)) above.set(b, a);
      else above.set(a, b);
    },
    areTied: (keys) => new Set(keys.map(rootOf)).size <= 1,
    constantOf(key) {
      const root = rootOf(key);
      return isConstant(root) ? root : null;
    },
  };
}
