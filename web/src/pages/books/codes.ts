/** Account codes as they are typed, beside those that are saved. A code can be changed, not taken away. Pure. */
export type Codes = Readonly<Record<string, string | undefined>>;

/** As `GET /ledger/account-codes` lists them. */
export const codesOf = (items: readonly { account: string; code: string }[]): Codes =>
  Object.fromEntries(items.map(({ account, code }) => [account, code]));

/** Codes that a save would send. */
export const changedCodes = (typed: Codes, saved: Codes): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typed)
      .map(([account, code = '']) => [account, code.trim()] as const)
      .filter(([account, code]) => code !== '' && code !== saved[account]),
  );

/** Whether a code that is saved was emptied. */
export const isCleared = (typed: Codes, saved: Codes, account: string): boolean =>
  typed[account]?.trim() === '' && (saved[account] ?? '') !== '';

/** Codes still unsaved after these were saved, including those typed in the meantime. */
export const withoutSaved = (typed: Codes, sent: Codes): Codes =>
  Object.fromEntries(Object.entries(typed).filter(([account, code]) => code?.trim() !== sent[account]));
