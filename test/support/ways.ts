import { onCitus } from './database.ts';
import { WHOLE } from './whole.ts';

/**
 * The ways in which statements can be sent there, sharded or not: for tests of both. In `npm test` these send them as to several servers,
 * and everything else as to a plain one.
 */
export const ways = (): boolean[] => (onCitus() || !WHOLE ? [true] : [false, true]);
