/** A database whose writes wait until a test lets them through, one at a time: for what must hold between any two of them. */
import type { Db, Sql } from '../../src/store/db/db.ts';

export type Gate = {
  /** For those who write. Reads never wait. */
  readonly db: Db;
  /** Begins work whose writes wait. */
  begin(work: () => Promise<unknown>): void;
  /** Lets one write through, a statement or a whole transaction. False: the work is over; an error of it is thrown. */
  step(): Promise<boolean>;
  /** Writes that still wait fail. */
  end(): void;
};

const WRITES = /\b(INSERT|UPDATE|DELETE)\b/;

export function openGate(db: Db): Gate {
  const waiting: PromiseWithResolvers<void>[] = [];
  let isOver = false;
  let isShut = false;
  let failure: { readonly error: unknown } | null = null;
  /** Writes that were let through and are not done. Those that they bring about themselves go with them. */
  let inside = 0;
  let change = Promise.withResolvers<void>();
  const changed = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const through = async <T>(write: () => Promise<T>): Promise<T> => {
    if (isShut && inside === 0) {
      if (isOver) throw new Error('The test is over.');
      const turn = Promise.withResolvers<void>();
      waiting.push(turn);
      changed();
      await turn.promise;
    } else inside += 1;
    try {
      return await write();
    } finally {
      inside -= 1;
      changed();
    }
  };
  return {
    db: {
      ...db,
      query: (text, values, name) =>
        WRITES.test(text) ? through(() => db.query(text, values, name)) : db.query(text, values, name),
      transaction: (work) => through(() => db.transaction(work)),
    },
    begin(work) {
      isShut = true;
      work()
        .catch((error) => {
          failure = { error };
        })
        .finally(() => {
          isShut = false;
          changed();
        });
    },
    async step() {
      while (isShut && waiting.length === 0) await change.promise;
      if (failure !== null) throw failure.error;
      const next = waiting.shift();
      if (next === undefined) return false;
      inside += 1;
      next.resolve();
      while (inside > 0) await change.promise;
      return true;
    },
    end() {
      isOver = true;
      for (const turn of waiting.splice(0)) turn.reject(new Error('The test is over.'));
    },
  };
}

/** A database that does something before each statement of its sessions. */
export function between(db: Db, act: (text: string) => Promise<unknown>): Db {
  const acting = <S extends Sql>(sql: S): S => ({
    ...sql,
    async query(text: string, values?: readonly unknown[], name?: string) {
      await act(text);
      return sql.query(text, values, name);
    },
  });
  return {
    ...db,
    session: (work) =>
      db.session((session) =>
        work({
          ...acting(session),
          transaction: (inner) => session.transaction((tx) => inner(acting(tx))),
        }),
      ),
  };
}
