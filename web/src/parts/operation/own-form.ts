/** A handmade form: adds to the schema the order of fields, initial values, labels and the button. */
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
  /** Shape of a value for which the API accepts any JSON. */
  shape?: Shape;
  /** Initial value. */
  start?: (facts: Facts) => unknown;
  /** Options from the loan. Without any, the value is typed. */
  choices?: (facts: Facts) => Choice[];
  /** Values for one click. */
  fills?: (facts: Facts) => Choice[];
  /** Hidden if the page that opened the form has set it, because the title then states it. */
  stated?: true;
  /** A flag that may be left open, beside yes and no. */
  three?: true;
  /** Required then, although the API leaves it open. */
  needed?: (values: Values) => boolean;
  /** Shown only then; what is not shown is not sent. */
  when?: (values: Values, facts: Facts) => boolean;
};

export type OwnForm = {
  title: string;
  /** Description, if the title does not say enough. */
  about?: string;
  fields: readonly OwnField[];
  /** Behind "More options". */
  more?: readonly OwnField[];
  /** Members that another one stands for. */
  omit?: readonly string[];
  needs?: readonly Need[];
  /** Text of the button. */
  does: (values: Values, facts: Facts) => string;
  /** Message after success. */
  did: (values: Values, facts: Facts) => string;
  /** Something that is not easily taken back: the button is red. */
  grave?: true;
  /** Operation that takes it back, if undo does not apply. */
  takenBackBy?: { operation: string; label: string; initial: (values: Values) => Values };
};

/** A group of the menu of a loan: its operations by id, with their labels. */
export type Menu = { readonly title: string; readonly actions: Readonly<Record<string, string>> };

/** A reference that nobody has used: "PAY-20260115-7Q2MXA". */
export function newReference(kind: string, today: string): string {
  const letters = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
  const random = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => letters[byte % letters.length]);
  return `${kind}-${today.replaceAll('-', '')}-${random.join('')}`;
}
