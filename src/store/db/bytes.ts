/** `0x…` in the program, bytes in the database. */
export const bytes = (hex: string): string => `\\x${hex.slice(2)}`;
export const hexOf = (value: Uint8Array): string => `0x${Buffer.from(value).toString('hex')}`;
