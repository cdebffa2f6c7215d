/** A figure among the open members of a record: what is none may be anything, and is not shown to everybody. */

const FIGURE = /^-?\$?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4}|(?=\.))(?:\.\d{1,20})?(?:[eE][+-]?\d{1,2})?%?$/;
const LONGEST = 40;

/** A number as it was written, else ''. Nine digits alone are not shown: they are a person's number sooner than an amount. */
export function figure(text: string): string {
  const bare = text.length > LONGEST ? '' : text.trim();
  return FIGURE.test(bare) && !/^\d{9}$/.test(bare) ? bare : '';
}
