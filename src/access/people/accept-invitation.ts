/** An invitation is used up in the transaction that stores how its person signs in from now on. */
import type { Db, Sql } from '../../store/db.ts';
import { removeMeans } from '../../store/sign-in.ts';
import type { People, Person } from './people.ts';

/**
 * Whatever the person had before is removed: an invitation of somebody who exists is for someone who has lost their means, which may
 * be in other hands. Null: the invitation has expired or was used meanwhile.
 */
export async function acceptInvitation(
  { db, people }: { db: Db; people: People },
  token: string,
  store: (tx: Sql, person: Person) => Promise<void>,
): Promise<Person | null> {
  const person = await db.transaction(async (tx) => {
    const accepted = await people.accept(tx, token);
    if (accepted === null) return null;
    await removeMeans(tx, accepted.userId);
    await store(tx, accepted);
    return accepted;
  });
  if (person !== null) await people.endAll(person.userId);
  return person;
}
