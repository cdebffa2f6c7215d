/** What a form of our own says beyond the schema: which fields in which order, with what to begin, and what its button does. */
import type { Facts, Need } from './facts.ts';
import type { Shape } from './shape.ts';

/** The body as far as it is filled in. */
export type Values = Readonly<Record<string, unknown>>;
export type Choice = { value: string; label: string };

export type OwnField = {
  /** A member of the body. */
  name: string;
  label?: string;
  hint?: string;
  /** What it consists of, where the interface takes anything. */
  shape?: Shape;
  /** What it begins with. */
  start?: (facts: Facts) => unknown;
  /** What can be chosen, from the loan. Without any, it is typed. */
  choices?: (facts: Facts) => Choice[];
  /** Values for one click. */
  fills?: (facts: Facts) => Choice[];
  /** Where the page that opened the form has said it, the title says it too, and it is not asked again. */
  stated?: true;
  /** Shown only then; what is not shown is not sent. */
  when?: (values: Values, facts: Facts) => boolean;
};

export type OwnForm = {
  title: string;
  /** What it does, where its title does not say it. */
  about?: string;
  fields: readonly OwnField[];
  /** Behind "More options". */
  more?: readonly OwnField[];
  /** Members that another one stands for. */
  omit?: readonly string[];
  needs?: readonly Need[];
  /** What its button says. */
  does: (values: Values, facts: Facts) => string;
  /** What is said when it was done. */
  did: (values: Values, facts: Facts) => string;
  /** Something that is not easily taken back: the button is red. */
  grave?: true;
  /** Where undo does not apply: the operation that takes it back. */
  takenBackBy?: { operation: string; label: string; initial: (values: Values) => Values };
};

/** A reference that nobody has used: "PAY-20260115-7Q2MXA". */
export function newReference(kind: string, today: string): string {
  const letters = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
  const random = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => letters[byte % letters.length]);
  return `${kind}-${today.replaceAll('-', '')}-${random.join('')}`;
}
